module.exports = {
  waymark: {
    input: "generated/openapi.json",
    output: { target: "generated/orval.ts", client: "fetch", baseUrl: process.env.WAYMARK_URL + "/api/v2" },
  },
};
