// What pages show of the worker, which keeps things in the browser while the server does not respond: how much waits to
// be sent, and how much is kept for reading. The page /offline shows all of it. All sentences come from the page.
"use strict";

(() => {
	const { home, person } = document.currentScript.dataset;
	const workers = navigator.serviceWorker; // undefined over plain http
	if (!workers) return;
	const root = document.documentElement;
	const find = (selector, within = document) => within.querySelector(selector);
	const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
	const fill = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
	const size = new Intl.NumberFormat(root.lang, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
	const time = new Intl.DateTimeFormat(root.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

	// registered returns what is registered for this server, and not for one above its path: that is what Chromium
	// finds until the worker of this one has begun.
	let registration;
	const registered = async () => {
		const found = registration ?? (await workers.getRegistration(home));
		return found?.scope === new URL(home, location).href ? found : undefined;
	};
	// ask sends the worker a message and returns what it returns.
	const ask = async (name, value) => {
		const { active, waiting, installing } = await registered();
		const begun = new Promise((resolve) => {
			if (!active) (waiting ?? installing).onstatechange = ({ target }) => target.state === "activated" && resolve(target);
		});
		const worker = active ?? (await begun);
		return new Promise((resolve) => {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = ({ data }) => resolve(data);
			worker.postMessage({ [name]: value }, [port2]);
		});
	};

	// show fills in the elements that say what the worker has.
	const show = ({ waiting, texts, bytes, keeps, full }) => {
		for (const line of findAll("[data-full]")) line.hidden = !full;
		const values = { n: waiting.toLocaleString(root.lang) };
		const kept = { n: texts.toLocaleString(root.lang), size: size.format(bytes / 1e6) };
		for (const line of findAll("[data-waiting-line]")) {
			line.hidden = !waiting;
			find("span", line).textContent = fill(line.dataset.waitingLine, values);
		}
		for (const part of findAll("[data-keeps]")) {
			part.hidden = false;
			const box = find("[type=checkbox]", part);
			if (box) box.checked = keeps;
			find("[data-kept]", part).textContent = texts || !box ? fill(find("[data-kept]", part).dataset.kept, kept) : "";
			for (const button of findAll("[data-forget]", part)) button.hidden = !keeps;
		}
	};
	workers.addEventListener("message", ({ data }) => {
		show(data);
		if (find("[data-view=waiting]:not([hidden])")) showWaiting();
	});

	// Only the sign-in page says that nobody is signed in; a page of an error says nothing.
	const greet = async () => {
		if (person === "0" && !(await registered())) return;
		if (person !== "0") {
			// It waits while the browser looks for a newer worker on a server that does not respond.
			const registering = workers.register(`${home}sw.js`);
			registering.catch(() => {});
			const found = await registered();
			registration = found?.active ? found : await registering;
		}
		show(await ask("greet", { person: Number(person), language: root.lang, theme: find(".side") ? (root.dataset.theme ?? "") : undefined }));
	};
	if (person) addEventListener("load", () => greet().catch(() => {}));

	document.addEventListener("change", ({ target }) => {
		if (target.matches("[data-keeps] [type=checkbox]")) ask("keeps", target.checked);
	});
	document.addEventListener("click", ({ target }) => {
		if (target.closest("[data-forget]")) ask("keeps", false);
	});

	// ---- The page of the worker.

	const page = document.getElementById("offline");
	if (!page) return;

	const view = (name) => {
		for (const part of findAll("[data-view]", page)) part.hidden = part.dataset.view !== name;
		const shown = find(`[data-view=${name}]`, page);
		document.title = `${find("h1", shown).firstChild?.textContent.trim()} · Waymark`;
		return shown;
	};
	// copies returns the content of a template in a list for each item, as fillIn has filled it in.
	const copies = (list, items, fillIn) => {
		const template = find("template", list.parentElement);
		list.replaceChildren(...items.map((item) => {
			const row = template.content.cloneNode(true).firstElementChild;
			fillIn(row, item);
			return row;
		}));
	};
	const tile = (row, host, hue) => {
		find(".tile", row).textContent = /[\p{L}\p{N}]/u.exec(host)?.[0] ?? "•";
		find(".tile", row).classList.add(`h${hue}`);
	};
	const label = (control, title) => (control.ariaLabel = fill(control.dataset.label, { title }));
	const hostOf = (url) => (URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : "");

	const marks = (part, { id, title }, then) => {
		for (const button of findAll("[data-change]", part)) {
			label(button, title);
			button.onclick = () => ask("mark", { id, title, change: button.dataset.change }).then(then);
		}
	};
	const showUnread = async () => {
		const texts = (await ask("texts")).sort((a, b) => a.order - b.order);
		const shown = view(texts.length ? "unread" : "nothing");
		if (!texts.length) return;
		find(".n", shown).textContent = fill(find(".n", shown).dataset.text, { n: texts.length.toLocaleString(root.lang) });
		copies(find("ol", shown), texts, (row, text) => {
			const link = find(".title a", row);
			link.href = `${home}links/${text.id}/read`;
			link.textContent = text.title;
			find(".host", row).textContent = text.host;
			find(".left", row).textContent = fill(find(".left", row).dataset.minutes, { n: text.minutes });
			tile(row, text.host, text.hue);
			marks(row, text, () => showUnread().then(() => find("h1", shown).focus()));
		});
	};
	const showText = async (id) => {
		const text = await ask("text", id);
		const shown = view(text ? "text" : "nothing");
		if (!text) return;
		const article = find("article", shown);
		document.title = `${text.title} · Waymark`;
		find("h1", shown).textContent = text.title;
		find(".byline", shown).textContent = text.byline ?? "";
		article.lang = text.language ?? "";
		article.dir = text.direction || "auto";
		find(".prose", shown).innerHTML = text.html; // the server has sanitized it, and the policy forbids scripts
		marks(shown, text, () => location.assign(home));
		place(article, text);
	};
	// place goes to where a text was left, and has the worker keep where it is left next: see the reader in waymark.js.
	const place = (article, { id, at }) => {
		const blocks = findAll("[id^=p-]", article);
		if (at["per-mille"] <= 970) document.getElementById(`p-${at.paragraph}`)?.scrollIntoView({ behavior: "instant" });
		let rest;
		const keep = () => {
			const end = article.getBoundingClientRect().bottom + scrollY - innerHeight;
			const part = end > 0 ? Math.min(1, scrollY / end) : 1;
			const paragraph = blocks.findLastIndex((b) => b.getBoundingClientRect().top < 81) + 1; // see scroll-padding
			ask("place", { id, at: { paragraph, "per-mille": Math.round(part * 1000) } });
		};
		addEventListener("scroll", () => {
			clearTimeout(rest);
			rest = setTimeout(keep, 500);
		});
		addEventListener("pagehide", () => scrollY && keep());
	};

	const showWaiting = async () => {
		const queue = (await ask("queue")).sort((a, b) => b.at - a.at);
		const { tried } = await ask("status");
		const shown = view("waiting");
		find(".n", shown).textContent = queue.length.toLocaleString(root.lang);
		find("[data-tried]", shown).textContent = tried && queue.length ? fill(find("[data-tried]", shown).dataset.tried, { time: time.format(tried) }) : "";
		copies(find("ol", shown), queue, (row, { key, title, path, at, wrong }) => {
			const link = find(".title a", row);
			link.textContent = title;
			if (path === "links") link.href = `${home}offline?${new URLSearchParams({ kept: key })}`;
			const doing = find(`[data-change="${path.split("/")[3]}"]`, page)?.title;
			find(".host", row).textContent = doing ?? (hostOf(key) || key);
			find(".why-not", row).textContent = wrong ?? "";
			find("time", row).textContent = time.format(at);
			tile(row, hostOf(key) || title, 0);
			const remove = find("button", row);
			label(remove, title);
			remove.onclick = () => ask("drop", key).then(() => find("h1", shown).focus());
		});
	};
	const showEntry = async (key) => {
		const entry = key ? (await ask("queue")).find((other) => other.key === key) : { path: "links", fields: [] };
		if (!entry) return location.replace(`${home}offline`);
		if (!key) {
			for (const part of findAll("[data-view=entry] :is(h1, .main-act)", page)) part.textContent = find("header .btn", page).textContent;
			find("[data-drop]", page).hidden = true;
		}
		const shown = view("entry");
		const form = find("form", shown);
		for (const [name, value] of entry.fields) if (form.elements[name]) form.elements[name].value = value;
		find(".why-not", shown).textContent = entry.wrong ?? "";
		const leave = () => {
			close();
			location.replace(home);
		};
		form.onsubmit = async (e) => {
			e.preventDefault();
			const edited = [...new FormData(form)];
			const others = entry.fields.filter(([name]) => !form.elements[name]);
			const { url, title } = Object.fromEntries(edited);
			if (!(await ask("keep", { key: url, title: title || url, path: entry.path, fields: [...others, ...edited] }))) return;
			if (key && url !== key) await ask("drop", key);
			leave();
		};
		find("[data-drop]", shown).onclick = () => ask("drop", key).then(leave);
	};

	const start = async () => {
		if (!(await registered())) return view("nothing");
		const { waiting, theme, ...others } = await ask("status");
		if (theme) root.dataset.theme = theme;
		show({ waiting, ...others });
		const path = location.pathname.slice(home.length);
		const parameters = new URLSearchParams(location.search);
		const id = Number(/^links\/(\d+)\//.exec(path)?.[1]);
		if (parameters.has("lost")) find("[data-lost]", view("lost")).textContent = parameters.get("lost");
		else if (parameters.has("kept")) showEntry(parameters.get("kept"));
		else if (path === "offline") showWaiting();
		else if (path === "links/create") showEntry("");
		else if (id) showText(id);
		else showUnread();
	};
	find("[data-send]", page).onclick = () => ask("send").then(showWaiting);
	start();
})();
