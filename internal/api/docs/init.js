// Shows the OpenAPI document of API version 2, or of version 1 if the URL has ?version=v1.
"use strict";

const version = new URLSearchParams(location.search).get("version") === "v1" ? "v1" : "v2";

for (const link of document.querySelectorAll("nav a")) {
  if (link.search === (version === "v1" ? "?version=v1" : "")) {
    link.setAttribute("aria-current", "page");
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

window.ui = SwaggerUIBundle({
  dom_id: "#docs",
  url: new URL(`../${version}/openapi.json`, document.currentScript.src).href,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false, // the key stays in the memory of this page
  validatorUrl: null, // do not send the document to validator.swagger.io
});
