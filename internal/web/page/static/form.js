// The script of the form for a new link, which works without it: it fills in what the page of the URL has,
// and filters the lists of the small window.
"use strict";

(() => {
	const form = document.getElementById("link");
	const { url } = form.elements;
	const find = (selector, within = form) => within.querySelector(selector);
	const findAll = (selector, within = form) => [...within.querySelectorAll(selector)];
	const changed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));

	// send sends a field to the server. It returns undefined if there is no good response.
	const send = async (path, value) => {
		try {
			const response = await fetch(path, { method: "POST", headers: { "HX-Request": "true" }, body: new URLSearchParams({ url: value }) });
			return response.ok && !response.redirected ? response : undefined;
		} catch {
			return undefined;
		}
	};

	// ---- What the page has: its texts go into empty fields that the person has not touched.

	const found = find("[data-found]");
	const filled = findAll("[name=title], [name=description]");
	for (const field of filled) field.touched = !!field.value;

	let asked = "";
	const preview = async () => {
		const typed = url.value.trim();
		if (typed === asked || !/^(https?:\/\/\S|[^\s/:]+\.[^\s/:])/i.test(typed)) return;
		asked = typed;
		find("[data-tile]")?.replaceChildren(typed.replace(/^https?:\/\/(www\.)?/i, "")[0]);
		if (!form.dataset.preview || filled.every((field) => field.touched)) return;
		found.textContent = form.dataset.reading;
		const html = await (await send(form.dataset.preview, typed))?.text();
		if (asked !== typed) return;
		found.innerHTML = html ?? "";
		const offered = find("[data-offered]", found)?.firstElementChild;
		find(".suggest")?.remove();
		if (offered) find("[name=tags]").after(offered);
		for (const field of filled) {
			if (!field.touched) field.value = form.elements[`page-${field.name}`]?.value ?? "";
		}
		const image = form.elements["page-image"]?.value;
		if (image && form.dataset.picture) show(image, typed);
	};
	// show shows a picture of the image of the page. Pages may not contain images of other servers.
	const show = async (image, typed) => {
		const blob = await (await send(form.dataset.picture, image))?.blob();
		if (!blob || asked !== typed) return;
		const picture = await createImageBitmap(blob);
		const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
		canvas.getContext("2d").drawImage(picture, 0, 0);
		const tile = find("[data-tile]");
		if (tile) tile.replaceChildren(canvas);
		else found.append(canvas);
	};

	let pause;
	form.addEventListener("input", (e) => {
		if (filled.includes(e.target)) e.target.touched = true;
		if (e.target !== url) return;
		clearTimeout(pause);
		pause = setTimeout(preview, e.inputType === "insertFromPaste" ? 0 : 1000);
	});
	url.addEventListener("change", preview);
	preview();

	// ---- The small window.

	form.addEventListener("keydown", (e) => {
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit();
	});
	find("[data-leave]")?.addEventListener("click", () => close()); // if the window cannot be closed, the link leads to the links

	const filter = find("[data-filter]");
	if (!filter) return;
	const rows = findAll(".dest");
	const fold = (text) => text.trim().toLocaleLowerCase();
	const named = (name) => rows.find((row) => fold(find("input", row).value) === fold(name));
	filter.addEventListener("input", () => {
		for (const row of rows) row.hidden = !fold(row.textContent).includes(fold(filter.value));
		const made = find("[data-new]");
		made.hidden = !filter.value.trim() || filter.value.includes(",") || named(filter.value);
		made.textContent = made.dataset.new.replace("{name}", filter.value.trim());
	});
	const clear = () => {
		filter.value = "";
		changed(filter);
	};
	find(".dests").addEventListener("change", clear);
	const take = () => {
		const name = filter.value.trim();
		if (!name) return;
		let row = named(name) ?? rows.find((shown) => !shown.hidden);
		if (!find("[data-new]").hidden) {
			row = find("template").content.firstElementChild.cloneNode(true);
			find("input", row).value = find("bdi", row).textContent = name;
			find("[data-new]").after(row);
			rows.push(row);
		}
		if (row) find("input", row).checked = true;
		clear();
		row?.scrollIntoView({ block: "nearest" });
	};
	find("[data-new]").addEventListener("click", take);
	filter.addEventListener("keydown", (e) => {
		if (e.key !== "Enter" || e.ctrlKey || e.metaKey || !filter.value.trim()) return;
		e.preventDefault();
		take();
	});
})();
