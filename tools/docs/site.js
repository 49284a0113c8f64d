// The search of the documentation. It loads the index when the field gets the focus.
"use strict";

const home = document.currentScript.dataset.home;
const search = document.querySelector(".search");
const field = search.querySelector("input");
const found = search.querySelector(".found");
search.hidden = false;
const order = document.querySelector(".order");
order.open = !matchMedia("(max-width: 56rem)").matches;
order.scrollTop = order.querySelector("[aria-current]")?.offsetTop - order.clientHeight / 2;

field.addEventListener("focus", () => {
	const script = document.createElement("script");
	script.src = home + "search-index.js";
	script.addEventListener("load", show);
	document.head.append(script);
}, { once: true });
field.addEventListener("input", show);

// synonyms has other words for what people look for: those of the documents.
const synonyms = {
	"2fa": ["second factor"], "ai": ["assistant"], "android": ["phone"], "archiving": ["snapshot"], "bookmarklet": ["button"], "broken": ["dead"],
	"certificate": ["https"], "dark": ["theme"], "email": ["mail"], "e-mail": ["mail"], "error": ["troubleshooting"],
	"extension": ["browser"], "forget": ["forgot"], "forgot": ["lost"], "claude": ["assistant"], "hotkey": ["keyboard"], "ios": ["phone"],
	"iphone": ["phone"], "letsencrypt": ["let's encrypt"], "migrate": ["from"], "mobile": ["phone"], "mode": ["theme"],
	"oauth": ["openid"], "offline": ["snapshot"], "oidc": ["openid", "provider"], "problem": ["troubleshooting"],
	"ram": ["memory"], "remove": ["delete", "uninstall"], "reset": ["forgot"], "rss": ["feed"], "shortcut": ["keyboard"],
	"smtp": ["mail"], "ssl": ["https"], "sso": ["openid", "provider"], "subfolder": ["sub-path"], "subpath": ["sub-path"],
	"theme": ["dark"], "totp": ["authenticator"], "uninstall": ["purge"], "update": ["upgrade"],
};

// begins says whether a word of the text begins with the one that is looked for.
function begins(text, word) {
	for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
		if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) {
			return true;
		}
	}
	return false;
}

// score says how well a section matches all words or their synonyms: 0 if one is missing.
function score(section, words) {
	const title = (section.title ?? section.page).toLowerCase();
	const page = section.page.toLowerCase();
	const text = section.text.toLowerCase();
	const points = (word) => (begins(title, word) ? 8 : 0) + (begins(page, word) ? 4 : 0) + (begins(text, word) ? 1 : 0);
	let sum = 0;
	for (const word of words) {
		const singular = word.length > 3 ? word.replace(/s$/, "") : word;
		const others = synonyms[word] ?? synonyms[singular] ?? [];
		const most = Math.max(points(singular), ...others.map((other) => points(other) / 2));
		if (most === 0) {
			return 0;
		}
		sum += most;
	}
	return section.late ? sum / 2 : sum;
}

// excerpt returns the text around the first of the words.
function excerpt(text, words) {
	const lower = text.toLowerCase();
	const at = Math.max(0, ...words.map((word) => lower.indexOf(word)));
	const from = Math.max(0, at - 40);
	return (from > 0 ? "…" : "") + text.slice(from, from + 120) + (text.length > from + 120 ? "…" : "");
}

function show() {
	const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
	found.hidden = words.length === 0 || typeof searchIndex === "undefined";
	if (found.hidden) {
		return;
	}
	const best = searchIndex
		.map((section) => ({ section, points: score(section, words) }))
		.filter(({ points }) => points > 0)
		.sort((a, b) => b.points - a.points)
		.slice(0, 12);
	found.replaceChildren(...best.map(({ section }) => {
		const link = document.createElement("a");
		link.href = home + section.url;
		link.textContent = section.title ? `${section.page} › ${section.title}` : section.page;
		const text = document.createElement("small");
		text.textContent = excerpt(section.text, words);
		link.append(text);
		return link;
	}));
	if (best.length === 0) {
		const nothing = document.createElement("p");
		nothing.textContent = "Nothing found.";
		found.append(nothing);
	}
}

document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== field) {
		event.preventDefault();
		field.focus();
	} else if (event.key === "Escape") {
		found.hidden = true;
	} else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
		const links = [...found.querySelectorAll("a")];
		const at = links.indexOf(document.activeElement);
		if (!found.hidden && links.length > 0 && search.contains(document.activeElement)) {
			event.preventDefault();
			(links[at + (event.key === "ArrowDown" ? 1 : -1)] ?? field).focus();
		}
	}
});
document.addEventListener("click", (event) => {
	if (!search.contains(event.target)) {
		found.hidden = true;
	}
});
