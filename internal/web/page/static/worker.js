// Waymark's service worker. It keeps what a person saves while the server does not respond, and the texts that they
// want to read then. It answers only the few pages below, and only if the server does not: nothing that the server
// shows comes from here. /sw.js sets release, languages and files.
"use strict";

const base = new URL(registration.scope).pathname; // several servers can be on one host
const kept = `waymark ${base} `;
const patience = 8000; // after which a server counts as one that does not respond, in milliseconds
const pause = 60000; // between two attempts

// ---- What is stored: the queue by person and key, texts by link, and one value: who is signed in, their language
// and theme, for whom texts are kept, and when something was last tried.

let opened;
const open = () =>
	new Promise((resolve, reject) => {
		const request = indexedDB.open(kept, 1);
		request.onupgradeneeded = () => ["queue", "texts", "state"].forEach((name) => request.result.createObjectStore(name));
		request.onsuccess = () => resolve(Object.assign(request.result, { onclose: () => (opened = undefined) }));
		request.onerror = () => reject(request.error);
	});
// change runs act with stores, in one transaction, and returns the result of the request that act returns.
const change = async (act, ...names) => {
	const transaction = (await (opened ??= open())).transaction(names, "readwrite");
	return new Promise((resolve, reject) => {
		const request = act(...names.map((name) => transaction.objectStore(name)));
		transaction.oncomplete = () => resolve(request?.result);
		transaction.onabort = () => reject(transaction.error);
	});
};
const getState = async () => (await change((state) => state.get(0), "state")) ?? {};
const setState = (values) =>
	change((state) => {
		state.get(0).onsuccess = ({ target }) => state.put({ ...target.result, ...values }, 0);
	}, "state");
const getTexts = () => change((texts) => texts.getAll(), "texts");
const getQueue = async () => {
	const { person } = await getState();
	return person ? change((queue) => queue.getAll(IDBKeyRange.bound([person], [person, []])), "queue") : [];
};

// forget removes all texts. What waits stays, until its person signs in again. Without space for the values nobody is
// signed in.
const forget = async (values) => {
	const clear = (then) =>
		change((texts, state) => {
			texts.clear();
			then(state);
		}, "texts", "state");
	await clear((state) => {
		state.get(0).onsuccess = ({ target }) => state.put({ ...target.result, ...values, refreshed: 0 }, 0);
	}).catch(() => clear((state) => state.delete(0)));
	await tell();
};

// ---- The server.

// ask returns a response of the server, or undefined. What lacks the header is from somebody else, such as the
// sign-in page of a Wi-Fi network.
const ask = async (path, options) => {
	try {
		const signal = AbortSignal.timeout(4 * patience);
		const response = await fetch(base + path, { redirect: "error", cache: "no-cache", signal, ...options });
		return response.headers.has("Waymark") ? response : undefined;
	} catch {
		return undefined;
	}
};

// navigate returns the response of the server for a page, or undefined. The headers of a redirect cannot be read:
// another request shows whose it is.
const navigate = async (request) => {
	const late = new Promise((resolve) => setTimeout(resolve, patience));
	try {
		const response = await Promise.race([fetch(request), late]);
		const ours = response?.type === "opaqueredirect" ? await ask("sw.js", { method: "HEAD" }) : response?.headers.has("Waymark");
		return ours ? response : undefined;
	} catch {
		return undefined;
	}
};

// ---- The queue: requests that are sent again until the server has answered. Fields are pairs of names and values.

let full; // there was no space

// keep adds a request, in place of one with the same key. If it was shared again, the other fields of that one stay. It
// returns false if nobody is signed in, or if the device has no space.
const keep = async (key, title, path, fields, shared) => {
	try {
		const { person } = await getState();
		if (!person) return false;
		await change((queue) => {
			queue.get([person, key]).onsuccess = ({ target }) => {
				const older = ((shared && target.result?.fields) || []).filter(([name]) => !fields.some((field) => field[0] === name));
				const entry = { person, key, title, path, fields: [...older, ...fields], at: Date.now() };
				queue.put(entry, [person, key]);
			};
		}, "queue");
	} catch {
		full = true;
		await tell().catch(() => {});
		return false;
	}
	full = false;
	await registration.sync?.register("send").catch(() => {});
	await tell();
	return true;
};

const drop = async (key) => {
	const { person } = await getState();
	await change((queue) => queue.delete([person, key]), "queue");
	await tell();
};

// settle removes an entry that was sent, or stores why it was refused, unless it was edited meanwhile.
const settle = async (sent, wrong) => {
	const key = [sent.person, sent.key];
	await change((queue) => {
		queue.get(key).onsuccess = ({ target }) => {
			if (target.result?.at !== sent.at) return;
			if (wrong === undefined) queue.delete(key);
			else queue.put({ ...sent, wrong }, key);
		};
	}, "queue");
	await tell();
};

// send sends what waits, one after the other. It throws if something is left, for the browser to try later. A server
// that answers with an error is asked again after a pause.
const send = (now) =>
	navigator.locks.request(`${kept}send`, async () => {
		const { person, failed = 0 } = await getState();
		if (!now && Date.now() - failed < pause) return;
		for (const entry of await getQueue()) {
			if (entry.wrong !== undefined) continue;
			const response = await ask(`${entry.path}?queued=${person}`, { method: "POST", body: new URLSearchParams(entry.fields) });
			const status = response?.status;
			if (status === 401) return forget({ person: 0 });
			if (status === 409) return;
			const answer = await response?.json().catch(() => {});
			const gone = (status === 404 || status === 410) && entry.path !== "links";
			if ((status === 200 && answer) || gone) await settle(entry);
			else if (answer && status >= 400 && status < 500 && ![403, 408, 429].includes(status)) await settle(entry, answer.message);
			else {
				await setState({ tried: Date.now(), failed: response && Date.now() });
				await tell();
				throw new Error("no answer");
			}
		}
		await setState({ tried: 0, failed: 0 });
	});

// tell shows pages and the badge of the app how much waits and how much is kept.
const tell = async () => {
	const status = await getStatus();
	const badge = status.waiting ? self.navigator.setAppBadge?.(status.waiting) : self.navigator.clearAppBadge?.();
	badge?.catch(() => {});
	for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(status);
	return status;
};
const getStatus = async () => {
	const [{ person, keeps, tried, theme }, queue, texts] = [await getState(), await getQueue(), await getTexts()];
	const bytes = texts.reduce((sum, text) => sum + text.html.length, 0);
	return { person, theme, tried, keeps: !!person && keeps === person, full, waiting: queue.length, texts: texts.length, bytes };
};

// ---- Texts for reading.

// place stores how far a text was read; moved is when, until the server knows.
const place = (id, moved, placed) =>
	change((texts) => {
		texts.get(id).onsuccess = ({ target: { result } }) => {
			if (result && (placed.at || result.moved === moved)) texts.put({ ...result, moved, ...placed }, id);
		};
	}, "texts");
const sendPlaces = async (person) => {
	for (const { id, at, moved } of (await getTexts()).filter((text) => text.moved)) {
		const response = await ask(`links/${id}/read?queued=${person}`, { method: "POST", body: new URLSearchParams(at) });
		if (!response?.ok) return;
		await place(id, moved, { moved: 0 });
	}
};

const refresh = async (now) => {
	await sendPlaces((await getState()).person);
	const { person, keeps, refreshed = 0 } = await getState();
	if (!person || keeps !== person || (!now && Date.now() - refreshed < pause)) return;
	await setState({ refreshed: Date.now() });
	const have = new Map((await getTexts()).map((text) => [text.version, text]));
	const response = await ask(`offline/texts?queued=${person}&have=${[...have.keys()]}`);
	if (response?.status === 401) return forget({ person: 0 });
	const texts = response?.ok && (await response.json().catch(() => {}));
	if (!texts) return;
	const marked = new Set((await getQueue()).map((entry) => entry.path.split("/")[1]));
	await change((store, state) => {
		state.get(0).onsuccess = ({ target }) => {
			if (target.result.person !== person || target.result.keeps !== person) return; // signed out since
			store.clear();
			texts.forEach((text, order) => {
				const { html = "", at, moved } = have.get(text.version) ?? {};
				text.html ??= html;
				if (!marked.has(`${text.id}`)) store.put({ ...text, order, ...(moved && { at, moved }) }, text.id);
			});
		};
	}, "texts", "state").then(
		() => (full = false),
		() => (full = true), // the older texts stay
	);
	await tell();
};

// ---- Pages.

const pageOf = (language) => `${base}offline?language=${language}`;
const offline = async () => {
	const { language } = await getState().catch(() => ({}));
	return (await caches.match(pageOf(languages.includes(language) ? language : languages[0]))) ?? Response.error();
};
const typed = ["url", "title", "description", "tags", "lists", "note"];
// isKept leads to what was kept, or to the texts of what could not be kept.
const isKept = (key, fields, done) => {
	const lost = fields.filter(([name, value]) => typed.includes(name) && value);
	const shown = done ? { kept: key } : { lost: lost.map(([, value]) => value).join("\n") };
	return Response.redirect(`${base}offline?${new URLSearchParams(shown)}`, 303);
};

// Apps share a URL as a part of a text. The fields are those of the form for a new link.
const add = async (request, shared) => {
	const response = await navigate(request);
	if (response) return response;
	const first = (...names) => names.map((name) => shared.get(name)?.trim()).find(Boolean) ?? "";
	const text = first("text");
	const title = first("title", "t");
	const inText = /https?:\/\/[^\s"<>]+[^\s"<>.,;:!?)\]}'»”]/i;
	const url = first("url", "u") || (text.match(inText) ?? title.match(inText) ?? [text || title])[0];
	const description = first("description", "d") || text.replace(url, "").trim();
	const fields = { url, title: title === url ? "" : title, description: description === title ? "" : description };
	for (const name of ["tags", "lists", "visibility", "note"]) fields[name] = first(name);
	const filled = Object.entries(fields).filter((field) => field[1]);
	return url ? isKept(url, filled, await keep(url, fields.title || url, "links", filled, true)) : offline();
};

const save = async (request) => {
	const fields = [...(await request.clone().formData())];
	const response = await navigate(request);
	if (response) return response;
	const { url = "", title } = Object.fromEntries(fields);
	return isKept(url.trim(), fields, await keep(url.trim(), title?.trim() || url.trim(), "links", fields));
};

const show = async (event) => {
	const response = await navigate(event.request);
	event.waitUntil(refresh()); // not before: the page comes first
	return response ?? offline();
};

const forms = ["add", "bookmarklet/add", "links/create"];
const readable = ["", "links", "unread", "links/:id/read"];

addEventListener("fetch", (event) => {
	const { request } = event;
	const { origin, pathname, searchParams } = new URL(request.url);
	if (origin !== location.origin || !pathname.startsWith(base)) return;
	if (files.includes(pathname)) return event.respondWith(caches.match(request).then((found) => found ?? fetch(request)));
	if (request.mode !== "navigate") return;
	const path = pathname.slice(base.length);
	if (request.method === "POST") {
		if (!request.referrer.startsWith(registration.scope)) return; // from another site
		if (path === "links") event.respondWith(save(request));
		if (path === "signout") event.waitUntil(forget({ person: 0, keeps: 0 }));
	} else if (path === "offline") event.respondWith(offline());
	else if (forms.includes(path)) event.respondWith(add(request, searchParams));
	else if (readable.includes(path.replace(/\d+/, ":id"))) event.respondWith(show(event));
});

// ---- Messages of pages, each with one key, and what it returns.

const messages = {
	async greet({ person, language, theme }) {
		const before = await getState();
		const looks = { language, theme: theme ?? before.theme }; // a page can have a theme of its own
		if (before.person !== person) await forget({ person, ...looks });
		else if (before.language !== language || before.theme !== looks.theme) await setState(looks);
		return getStatus();
	},
	queue: getQueue,
	texts: getTexts,
	status: getStatus,
	text: (id) => change((texts) => texts.get(id), "texts"),
	place: ({ id, at }) => place(id, Date.now(), { at }),
	keep: async ({ key, title, path, fields }) => keep(key, title, path, fields),
	drop,
	// A link that is done leaves the texts at once.
	mark: async ({ id, title, change: name }) => {
		if (!(await keep(`${id} ${name}`, title, `links/${id}/mark/${name}`, []))) return false;
		await change((texts) => texts.delete(id), "texts");
		await tell();
		return send().catch(() => {});
	},
	send: () => send(true).catch(() => {}),
	async keeps(on) {
		const { person } = await getState();
		if (!on) await forget({ keeps: 0 });
		else {
			await setState({ keeps: person });
			await refresh(true);
		}
		return tell();
	},
};
addEventListener("message", (event) => {
	const [[name, value]] = Object.entries(event.data);
	const answer = messages[name](value);
	event.waitUntil(answer.then((result) => event.ports[0].postMessage(result)));
	if (name === "greet" && value.person) event.waitUntil(answer.then(() => Promise.allSettled([send(), refresh()])));
});
addEventListener("sync", (event) => event.waitUntil(send(true)));

// ---- A new release replaces the worker at once. Pages that are open stay as they are.

const install = async () => {
	const cache = await caches.open(kept + release);
	for (const url of [...files, ...languages.map(pageOf)]) {
		const response = await ask(url.slice(base.length));
		if (!response?.ok) throw new Error(`no answer for ${url}`);
		await cache.put(url, response);
	}
	await skipWaiting();
};
const activate = async () => {
	for (const name of await caches.keys()) if (name.startsWith(kept) && name !== kept + release) await caches.delete(name);
	await clients.claim();
};
addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
