// How scripts/web_assets.sh makes the shapes of icons smaller.
export default {
	floatPrecision: 3,
	multipass: true,
	plugins: [
		{ name: "convertShapeToPath", params: { convertArcs: true } },
		{ name: "mergePaths", params: { force: true } },
		"convertPathData",
	],
};
