// The script of the pages on which people sign in and prove who they are, which work without it: it sends a
// code with its last figure, and saves and prints recovery codes.
"use strict";

(() => {
	const on = (selector, event, act) => document.querySelectorAll(selector).forEach((element) => element.addEventListener(event, () => act(element)));

	let sent = false;
	on("[data-code]", "input", (field) => {
		if (sent || field.value.replace(/\D/g, "").length !== 6) return;
		sent = true; // a wrong code comes back with a new page
		field.form.requestSubmit();
	});

	on("[data-save]", "click", ({ dataset }) => {
		const file = URL.createObjectURL(new Blob([`${dataset.save}\n`], { type: "text/plain" }));
		Object.assign(document.createElement("a"), { href: file, download: dataset.file }).click();
		URL.revokeObjectURL(file);
	});
	on("[data-print]", "click", () => print());
})();
