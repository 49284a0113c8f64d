// Waymark's script: shortcuts, completion, and changes without a new page. Every page works
// without it. All sentences come from the page. Handlers are on the document, so that parts
// of a page can be replaced.
"use strict";

(() => {
	const { home, library } = document.currentScript.dataset;
	const root = document.documentElement;
	const toasts = document.getElementById("toasts");
	const find = (selector, within = document) => within.querySelector(selector);
	const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
	const on = (type, handler) => document.addEventListener(type, handler);
	// here returns the URL of the page as forms send it: without the path below which the
	// server is.
	const here = () => {
		const path = location.pathname;
		return (path.startsWith(home) ? path.slice(home.length - 1) : path) + location.search;
	};
	// canonical returns a URL of a page with its parameters as in other forms of the URL:
	// the server sorts them, and encodes other characters than browsers.
	const canonical = (url) => {
		const { pathname, searchParams } = new URL(url, location);
		searchParams.sort();
		return `${pathname}?${searchParams}`;
	};
	const textFields = "input:not([type=checkbox], [type=radio]), textarea, select";
	const isURL = (text) => /^https?:\/\/\S+$/i.test(text);

	// create returns a new element with these properties.
	const create = (name, properties = {}, ...children) => {
		const element = Object.assign(document.createElement(name), properties);
		element.append(...children);
		return element;
	};

	// What was sent in the last seconds: a button, a form without a button, or a URL. Another click
	// while the response is on its way sends nothing. The time is limited because a response can fail,
	// or be a file, and the page stays. The forms that htmx sends, and the browser does not, have hx-sync.
	const sent = new Set();
	const repeats = (key) => {
		setTimeout(() => sent.delete(key), 5000);
		return sent.size === sent.add(key).size;
	};

	const content = (form) => String(new URLSearchParams(new FormData(form)));
	// fingerprint returns a hash of what a form sends, for Back. sessionStorage.sent has the fields
	// of the last form, unless it has a password; the page with the message about the change adds
	// it to localStorage.saved.
	const fingerprint = (form) => hash(form.action + content(form));
	on("submit", (e) => {
		const form = e.target;
		if ((e.submitter?.formMethod || form.method) !== "post") return;
		if (!e.defaultPrevented && repeats(e.submitter ?? form)) return e.preventDefault();
		const back = form.elements.back?.value;
		if (back && canonical(back) === canonical(here())) keepPlace();
		sessionStorage.sent = find("[data-reveal]", form) ? "" : fingerprint(form);
		changes();
	});

	// changes stores that something is changed now, for pages to which Back leads. In Firefox such a page
	// does not see what other pages have written to sessionStorage. The key undoes no earlier change.
	const changes = () => {
		localStorage.changed = Date.now();
		sessionStorage.undo = "";
		ahead = undefined;
	};

	// post sends a form and opens the page to which the server redirects.
	const post = (action, fields) => {
		const form = create("form", { method: "post", action });
		for (const [name, value] of Object.entries(fields)) {
			form.append(create("input", { type: "hidden", name, value }));
		}
		document.body.append(form);
		form.requestSubmit();
	};

	// partOf returns the HTML of a part of a page, or undefined: the page works without it.
	const partOf = async (url, target = "", form) => {
		try {
			const headers = { "HX-Request": "true", "HX-Target": target, "HX-Current-URL": location.href };
			const response = await fetch(url, form ? { headers, method: "POST", body: form } : { headers });
			return response.ok && !response.redirected ? await response.text() : undefined;
		} catch {
			return undefined;
		}
	};

	// soon calls a function after the first frame if the page is visible, perhaps several times.
	const soon = (f) => {
		if (document.hidden) f();
		else new PerformanceObserver(() => f()).observe({ type: "paint", buffered: true });
	};

	// ---- Time zone: the server shows times in it.

	soon(() => {
		const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
		if (document.cookie.split("; ").includes(`tz=${zone}`)) return;
		const secure = location.protocol === "https:" ? "; Secure" : "";
		document.cookie = `tz=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
	});

	find("#zones")?.append(...Intl.supportedValuesOf("timeZone").map((value) => create("option", { value })));

	// ---- Toasts: messages about a change, for some seconds. Undo stays possible with a key.

	const toast = (text, again, name = toasts.dataset.again) => {
		const box = create("div", { className: "toast" }, create("span", {}, text));
		if (again) {
			const onclick = () => box.remove(again());
			box.append(create("button", { type: "button", className: "btn", onclick }, name));
		}
		toasts.replaceChildren(box);
	};

	// sessionStorage.undo is for the next pages of this tab, localStorage.undo for pages to which Back leads,
	// unless localStorage.tab shows that another tab has changed something since.
	sessionStorage.tab ??= Math.random();
	const keepUndo = (box) => {
		sessionStorage.undo = localStorage.undo = find("form", box)?.action ?? "";
		localStorage.tab = sessionStorage.tab;
	};
	const startToast = (box) => {
		keepUndo(box);
		let left = toasts.dataset.seconds;
		const timer = setInterval(() => {
			if (!box.matches(":hover, :focus-within")) left -= 0.25;
			if (left <= 0) box.remove();
			if (!box.isConnected) clearInterval(timer);
		}, 250);
	};

	const undo = () => {
		const action = sessionStorage.undo;
		if (!action) return toast(toasts.dataset.nothing);
		post(action, { back: here() });
	};

	if (toasts) {
		new MutationObserver(() => {
			const box = find(".toast", toasts);
			if (box) startToast(box);
		}).observe(toasts, { childList: true });
		// Screen readers announce only what is added. A message about a later change stays.
		const first = [...toasts.children];
		if (first[0]) {
			keepUndo(first[0]); // the key works at once
			localStorage.saved = (localStorage.saved + sessionStorage.sent).slice(-99);
		}
		toasts.replaceChildren();
		setTimeout(() => toasts.firstChild || toasts.append(...first), 100);
	}
	sessionStorage.sent = ""; // the message on a later page is about another form

	// ---- htmx: requests that change parts of the page.

	// load loads htmx once.
	let loaded;
	const load = () => {
		loaded ??= new Promise((onload, reject) => {
			const onerror = (e) => {
				loaded = undefined;
				reject(e);
			};
			document.head.append(create("script", { src: library, onload, onerror }));
		});
		return loaded;
	};
	soon(() => load().catch(() => {}));

	// ask sends a request with htmx. The options are those of htmx.
	const ask = async (method, url, options) => {
		options.again = () => ask(method, url, options);
		if (options.row) hide(options.row, true);
		try {
			await load();
		} catch {
			return failed(options, toasts.dataset.failed, true);
		}
		const { localName, id } = options.target;
		const headers = { "HX-Target": options.part ?? `${localName}#${id}` }; // htmx names the source
		return htmx.ajax(method, url, { ...options, headers });
	};

	// refresh shows the content of the page again, as the server has it now.
	const refresh = () => {
		const main = find("main");
		return ask("GET", location.href, { source: main, target: main, select: "main", swap: "outerHTML" });
	};

	// Failures, and focus. After the last row has been removed, the page is requested again: it has the
	// next rows, or says that there are none.

	// A row that is gone is changed, also if its page is left before the server has answered.
	on("htmx:config:request", ({ detail: { ctx } }) => {
		if (ctx.row) ctx.request.keepalive = true;
	});

	on("htmx:finally:request", ({ detail: { ctx } }) => {
		if (ctx.row && !(ctx.row.isConnected && rows()[0])) refresh();
	});

	const failed = (ctx, text, again) => {
		if (ctx.row) hide(ctx.row, false);
		const { request, sourceElement: source, target, swap } = ctx;
		toast(text, again && (ctx.again ?? (() => ask(request.method, request.action, { source, target, swap }))));
	};
	on("htmx:error", ({ detail: { ctx } }) => {
		if (ctx?.request) failed(ctx, toasts.dataset.failed, true);
	});
	on("htmx:response:error", ({ detail: { ctx } }) => {
		const { status } = ctx.response;
		if (status === 422 || ctx.hx.redirect) return; // a form with its errors, or the sign-in page
		const page = create("template", { innerHTML: ctx.text });
		failed(ctx, find("h1", page.content)?.textContent || toasts.dataset.failed, status >= 500 || status === 401);
		ctx.status = "failed"; // neither the page nor its URL changes
	});

	on("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
		ctx.rowHadFocus = shownRow()?.contains(document.activeElement);
		ctx.hadFocus = ctx.target?.contains(document.activeElement) && ctx.target.id;
		if (ctx.target?.matches(rowSelector) && !find(rowSelector, tasks[0].fragment)) leaveList(ctx);
		// What was edited after it was sent stays.
		if (ctx.sent && ctx.sent !== valuesIn(ctx.target)) {
			ctx.target.saved = ctx.sent;
			tasks.shift();
		}
	});
	on("htmx:after:swap", ({ detail: { ctx } }) => {
		const part = ctx.target?.isConnected ? ctx.target : document.getElementById(ctx.target?.id);
		if (part) {
			enhance(part);
			const announced = find("[data-announce]", part)?.textContent;
			if (announced) find("#status").textContent = announced;
		}
		if (ctx.sent && part && (ctx.hadFocus || ctx.response.status === 422)) {
			(find("[aria-invalid=true]", part) ?? find("[role=combobox], textarea, input", part))?.focus();
		} else if (ctx.hadFocus && document.activeElement === document.body) focusRow(part?.matches(rowSelector) ? part : find(rowSelector));
		count();
		namePlace();
		follow(ctx);
		if (part) find("[data-copies]", part)?.click();
	});

	// ---- Rows: links and other entities of a list.

	const rowSelector = ".link, .card";
	const rows = () => findAll(rowSelector).filter((row) => !row.hidden);
	const inRow = () => document.activeElement.closest(rowSelector);
	const current = () => inRow() ?? find(".here");

	// focusRow focuses the title of a row, or else the page's heading. The pane shows the link of the row.
	const focusRow = (row) => {
		const control = row && !row.hidden && find(".title a", row);
		const target = control || Object.assign(find("main h1") ?? find("main"), { tabIndex: -1 });
		target.focus({ preventScroll: true });
		mark(target.closest(rowSelector));
		target.scrollIntoView({ block: "nearest" });
		if (pane && control) showSoon(row);
	};

	// mark shows which row the keys are for.
	const mark = (row) => {
		if (!row) return;
		find(".here")?.classList.remove("here");
		row.classList.add("here");
	};
	on("focusin", (e) => mark(e.target.closest(rowSelector)));

	// hide hides a row or shows it again, with the heading of its day if it is the only row of
	// the day, and changes the number in the heading of the page.
	const hide = (row, hidden) => {
		if (row.hidden === hidden) return;
		row.hidden = hidden;
		const list = row.parentElement;
		const day = list.previousElementSibling;
		if (day?.matches(".day")) day.hidden = [...list.children].every((other) => other.hidden);
		const n = find("main h1 .n");
		if (!n) return;
		const left = Number(n.textContent.replace(/\D/g, "")) + (hidden ? -1 : 1);
		const single = n.dataset.single; // of a number with a word
		const text = single ? toasts.dataset.droplinks : "{n}";
		n.textContent = (left === 1 && single) || text.replace("{n}", left.toLocaleString(root.lang));
	};

	// leaveList hides the row of a request, whose link does not fit the page any more.
	const leaveList = (ctx) => {
		const list = rows();
		const at = list.indexOf(ctx.target);
		ctx.next = list[at + 1] ?? list[at - 1];
		ctx.row = ctx.next ?? ctx.target;
		hide(ctx.target, true);
		if (ctx.hadFocus) focusRow(ctx.next);
	};

	const move = (step) => {
		const list = rows();
		const at = list.indexOf(current());
		const next = list[at < 0 ? 0 : at + step];
		if (next) focusRow(next);
		else if (step > 0) find(".pager [rel=next]")?.focus();
	};

	// ---- The scroll position, which stays the same if a change shows the page again. For people who
	// use the keyboard, the focus stays on the row, or moves to the next row that is still there.

	let keyed = false;
	on("pointerdown", () => (keyed = false));
	const keepPlace = () => {
		const ids = keyed && current() ? rows().map((row) => row.id) : [];
		const place = { page: canonical(here()), top: scrollY, ids: ids.slice(ids.indexOf(current()?.id)) };
		sessionStorage.place = JSON.stringify(place);
	};
	const restorePlace = () => {
		const place = JSON.parse(sessionStorage.place ?? null);
		sessionStorage.place = null;
		if (place?.page !== canonical(here())) return;
		scrollTo(0, place.top);
		const row = place.ids.map((id) => document.getElementById(id)).find(Boolean);
		if (place.ids[0]) focusRow(row ?? rows().at(-1));
	};

	// remove sends the form of a button in the background. The row disappears at once.
	const remove = (button) => {
		const row = button.closest("li, tr");
		const list = rows();
		const at = list.indexOf(row);
		const hadFocus = row.contains(document.activeElement);
		for (const box of findAll(".pick input", row)) box.checked = false;
		count();
		changes();
		ask("POST", button.formAction, { source: toasts, target: toasts, values: { back: here() }, row });
		if (hadFocus) focusRow(list[at + 1] ?? list[at - 1]);
	};

	// watch asks for a row again, until the title and the pictures of its page have arrived, at most for half a
	// minute. The new row has the same controls.
	const watch = (row, times = 15) => {
		setTimeout(async () => {
			if (!row.isConnected || row.hidden || !times) return;
			const { body } = new DOMParser().parseFromString(await partOf(row.dataset.waiting, `li#${row.id}`), "text/html");
			const shown = find(rowSelector, body);
			const looks = (of) => of.textContent + findAll("img", of).length;
			if (!shown || (shown.dataset.waiting && looks(shown) === looks(row))) return watch(row, times - 1);
			const controls = (of) => findAll("a, button, input", of);
			const focused = controls(row).indexOf(document.activeElement);
			for (const box of findAll("input", row)) find("input", shown).checked = box.checked;
			shown.className = row.className;
			row.replaceWith(shown);
			controls(shown)[focused]?.focus();
			const title = find(".title", shown).textContent;
			if (title !== find(".title", row).textContent) find("#status").textContent = title;
			enhance(shown);
			if (shown.dataset.waiting) watch(shown, times - 1);
		}, 2000);
	};

	// setFlag sends the change of a flag in the background, and shows the row as it is then.
	const setFlag = (button) => {
		const row = button.closest(rowSelector);
		changes();
		const place = Object.fromEntries(new URL(detailsOf(row).href).searchParams);
		ask("POST", button.formAction, { source: toasts, target: row, swap: "outerHTML", values: { ...place, back: here() } });
	};

	// ---- The pane: a link beside the list, as its page shows it. Each element of its form with data-saves is sent when the
	// focus leaves it.

	const wide = matchMedia("(width >= 64rem)");
	let pane; // undefined while it is closed
	let shown; // the id of the row whose link it shows
	let latest; // the last call of show
	let wanted; // the field that gets the focus when the link is there
	let ahead; // the next link, and its part
	let pending;
	const detailsOf = (row) => row && find("[data-look]", row);
	const shownRow = () => rows().find((row) => row.id === shown);
	const partFor = (row) => {
		const { href } = detailsOf(row);
		if (ahead?.href !== href) ahead = { href, part: partOf(href, `look-${row.id.slice(5)}`) };
		return ahead.part;
	};
	const markShown = () => {
		find(".shown")?.removeAttribute("aria-current");
		find(".shown")?.classList.remove("shown");
		const row = pane && shownRow();
		row?.classList.add("shown");
		row?.setAttribute("aria-current", "true");
		// While the page loads, the browser would scroll to the row, and the heading would be out of sight.
		if (document.readyState === "complete") history.replaceState(history.state, "", row ? `#${shown}` : location.pathname + location.search);
	};
	// inPlace changes the columns of the page, and scrolls so that a row stays where it is.
	const inPlace = (row, change) => {
		const top = row?.getBoundingClientRect().top;
		change();
		if (row) scrollBy(0, row.getBoundingClientRect().top - top);
	};
	const show = async (row, field) => {
		clearTimeout(pending);
		await saving;
		const wrong = shown !== row.id && find("[aria-invalid=true]:not([data-told])", pane);
		if (wrong) {
			wrong.dataset.told = "";
			return wrong.focus();
		}
		if (field || shown !== row.id) wanted = field;
		shown = row.id;
		markShown();
		const { href } = detailsOf(row);
		const turn = (latest = Symbol());
		const html = await partFor(row);
		if (turn !== latest || !pane) return; // an older answer
		if (html === undefined) return location.assign(href);
		pane.innerHTML = html;
		pane.scrollTop = 0;
		see(pane);
		enhance(pane);
		load().then(() => htmx.process(pane), () => {});
		find("#status").textContent = find("h2", pane).textContent;
		ahead = undefined;
		const next = rows()[rows().indexOf(row) + 1];
		if (wanted) focusField(wanted);
		else if (next) partFor(next);
		wanted = undefined;
	};
	const showSoon = (row) => {
		clearTimeout(pending);
		if (shown !== row.id) pending = setTimeout(show, ahead?.href === detailsOf(row)?.href ? 0 : 80, row);
	};
	const isThere = () => find(`#look-${shown?.slice(5)}`, pane);
	// look shows the link of a row, with the focus in a field. Where there is no space, its page does.
	const look = (row, field, restored) => {
		const link = detailsOf(row);
		if (!wide.matches) {
			if (!field) return false;
			const url = new URL(link.href);
			url.searchParams.set("field", field);
			return location.assign(url);
		}
		find(":popover-open", row)?.hidePopover();
		if (!pane) {
			pane = create("aside", { className: "pane", id: "pane" });
			pane.setAttribute("aria-labelledby", "look-heading");
			inPlace(row, () => find(".main").after(pane));
			localStorage.pane = 1;
			shown = undefined;
		}
		mark(row);
		if (!restored && !row.contains(document.activeElement)) find(".title a", row).focus({ preventScroll: true });
		if (shown !== row.id || !isThere()) show(row, field);
		else if (field) focusField(field);
	};
	const closePane = async () => {
		await saving;
		clearTimeout(pending);
		const row = shownRow();
		inPlace(row, () => pane.remove());
		pane = undefined;
		localStorage.pane = "";
		markShown();
		if (document.activeElement === document.body) focusRow(row);
	};
	// follow shows what a change of the page has left in the pane.
	const follow = ({ sent, target, rowHadFocus }) => {
		if (!pane) return;
		const row = shownRow();
		if (row) markShown();
		if (!find(".here")) mark(row);
		if (rowHadFocus && document.activeElement === document.body) focusRow(row);
		if (row && target.id === shown && !sent) show(row, (ahead = undefined));
		else if (!row && target.matches("#results, main")) rows()[0] ? show(rows()[0]) : closePane();
	};
	const focusField = (id) => {
		const field = find(`.look #${id}`) ?? find(".look a, .look textarea");
		field?.focus();
		return !!field;
	};
	// edit puts the focus into a field of the link that the keys are for.
	const edit = (field) => (part("[data-look]") ? look(current(), field) ?? true : !!find(".look") && focusField(field));
	// leave returns from the pane to the row. Firefox sends no focusout while its window is not active.
	const leave = () => {
		const group = document.activeElement.closest("[data-saves]");
		if (group) save(group);
		if (shownRow() && pane) focusRow(shownRow());
		else document.activeElement.blur();
	};

	const fieldsIn = (group) => {
		const names = findAll("[name]", group).map((field) => field.name);
		return Object.fromEntries([...new FormData(group.closest("form"))].filter(([name]) => names.includes(name)));
	};
	const valuesIn = (group) => JSON.stringify(fieldsIn(group));
	const sentWith = (group) => {
		const hidden = findAll(":scope > [type=hidden]", group.closest("form"));
		return { ...Object.fromEntries(hidden.map(({ name, value }) => [name, value])), ...fieldsIn(group) };
	};
	// save sends what a person has changed in a part of a form. The next change waits for the new version.
	let saving = Promise.resolve();
	const save = (group, again) => {
		const form = group.closest("form");
		const source = group.closest(".look");
		return (saving = saving.then(() => {
			const sent = group.isConnected && valuesIn(group);
			if (!sent || (sent === group.saved && !again)) return;
			changes();
			const options = { source, target: group, select: `#${group.id}`, selectOOB: `#link-${source.dataset.link}`, swap: "outerHTML" };
			return ask("POST", form.action, { ...options, part: source.id, sent, values: sentWith(group) });
		}));
	};
	on("focusout", ({ target, relatedTarget }) => {
		const group = target.closest("[data-saves]");
		if (group && !group.contains(relatedTarget)) save(group);
	});
	on("change", ({ target }) => {
		const group = target.matches("select, [type=radio]") && target.closest(".look [data-saves]");
		if (group) save(group);
	});
	on("submit", (e) => {
		const form = e.target;
		const button = e.submitter;
		const action = button?.getAttribute("formaction") ?? form.getAttribute("action");
		if (find("[data-saves]", form) && !button?.hasAttribute("formaction")) {
			e.preventDefault();
			for (const group of findAll("[data-saves]", form)) save(group, button?.matches(".main-act") || find("[aria-invalid=true]", group));
			leave();
		} else if (form.closest("#pane") && form.method === "post") {
			e.preventDefault();
			const row = shownRow();
			const same = row && find(`[data-key="${CSS.escape(button?.dataset.key ?? "")}"]`, row);
			leave();
			if (same) return same.click();
			ask("POST", action, { source: toasts, target: toasts, values: { back: here() } }).then(() => {
				if (row?.isConnected) ask("GET", detailsOf(row).href, { source: toasts, target: row, swap: "outerHTML" });
			});
		}
	});
	addEventListener("pagehide", () => {
		for (const group of findAll(".look [data-saves]")) {
			if (valuesIn(group) === group.saved) continue;
			group.saved = valuesIn(group);
			changes();
			fetch(group.closest("form").action, { method: "POST", body: new URLSearchParams(sentWith(group)), keepalive: true, redirect: "manual" });
		}
	});
	on("click", (e) => {
		const row = e.target.closest(rowSelector);
		if (row && !e.defaultPrevented && !e.target.closest("a, button, input, label, [popover]") && !String(getSelection())) detailsOf(row)?.click();
	});
	wide.addEventListener("change", () => pane && !wide.matches && closePane());
	// takeOffered adds a tag that was offered for a link.
	const takeOffered = (button) => {
		const input = find("[role=combobox]", button.closest(".field"));
		const group = input.closest("[data-saves]");
		addToken(input, button.value);
		button.remove();
		input.focus();
		if (group) save(group);
	};

	// ---- Lists: where they stand.

	// openPlaces shows the page on which a list is chosen in a dialog.
	const openPlaces = async (url) => {
		const html = await partOf(url, "place");
		if (html === undefined) return location.assign(url);
		const dialog = find("#place");
		dialog.innerHTML = html;
		enhance(dialog);
		load().then(() => htmx.process(dialog), () => {});
		dialog.onclose = () => find("[data-changed]", dialog) && refresh();
		dialog.showModal();
	};
	// namePlace names the chosen list on the button that moves lists into it.
	const namePlace = () => {
		const place = find("#places :checked");
		const button = find("[data-to]");
		if (!button) return;
		button.dataset.plain ??= button.textContent;
		button.textContent = place ? (place.dataset.act ?? button.dataset.to.replace("{name}", find("bdi", place.parentElement).textContent)) : button.dataset.plain;
	};
	// moveList sends the move of lists, and shows the page as it is then. The focus stays on the link of a list.
	const moveList = async (fields) => {
		const link = focusedList();
		const part = link?.closest("main, .tree")?.localName === "main" ? "main" : ".tree";
		changes();
		await ask("POST", `${home}lists/move`, { source: toasts, target: toasts, values: { ...fields, back: here() } });
		if (find("main :is(.subs, .listgrid, .all-lists, .path)")) await refresh();
		if (link) findAll(`${part} a`).find((a) => a.href === link.href)?.focus();
	};
	const idOf = (link) => link?.pathname?.match(/\/lists\/(\d+)$/)?.[1];
	const listLinks = ".tree a, .listgrid label + a, .entry > a, .sublist:not(.new)";
	const focusedList = () => document.activeElement.closest(listLinks);
	// listKey handles the keys for the list that has the focus, or whose page is shown.
	const listKey = (e) => {
		const link = focusedList();
		const id = idOf(link ?? location);
		const branch = link?.closest("li").querySelector(":scope > [data-branch]");
		const toggle = () => find("summary", branch).click();
		if (e.altKey && e.key === "ArrowUp" && id) moveList({ models: id, step: "up" });
		else if (e.altKey && e.key === "ArrowDown" && id) moveList({ models: id, step: "down" });
		else if (e.altKey) return false;
		else if (e.key === "m" && link && !count()) openPlaces(`${home}lists/move?models=${id}`);
		else if (/^Arrow(Left|Right)$/.test(e.key) && !back(e) && branch && !branch.open) toggle();
		else if (back(e) && branch?.open) toggle();
		else if (back(e) && link) find("a", link.closest("details")?.parentElement ?? link.parentElement).focus();
		else return false;
		e.preventDefault();
		return true;
	};

	// ---- Dragging: lists into, before or after lists, links onto lists or tags, URLs from elsewhere onto lists or the page.

	let dragged; // what is dragged on this page: a list, the ids of links, or something else
	let drop; // where it would land
	let opening;
	const showDrop = (next) => {
		if (next?.at === drop?.at && next?.how === drop?.how) return;
		drop?.at.classList.remove(`drop-${drop.how}`);
		drop = next;
		drop?.at.classList.add(`drop-${drop.how}`);
		clearTimeout(opening);
		const branch = drop?.at.nextElementSibling;
		if (branch?.matches("[data-branch]:not([open])")) opening = setTimeout(() => find("summary", branch).click(), 600);
	};
	const dropAt = (e) => {
		const link = e.target.closest?.(`${listLinks}, .side a[href*="/tags/"]`);
		const list = link?.matches(listLinks) && idOf(link);
		if (!dragged) return e.dataTransfer.types.includes("text/uri-list") && !e.target.closest?.(textFields) && { at: list ? link : find("main"), how: "into" };
		if (dragged.links) return (list || link?.pathname.match(/\d$/)) && { at: link, how: "into" };
		if (!dragged.list || !list || list === dragged.list) return;
		if (dragged.item.contains(link)) return { at: link, how: "no" };
		const { top, height } = link.getBoundingClientRect();
		const y = link.closest(".tree, .all-lists") ? (e.clientY - top) / height : 0.5;
		return { at: link, how: y < 0.25 ? "before" : y > 0.75 ? "after" : "into" };
	};
	// leaves returns the list that links leave if they are dropped onto another one.
	const leaves = (e, id) => id && id !== idOf(location) && !e.ctrlKey && !e.altKey && idOf(location);
	const hint = create("div", { className: "toast", role: "status" });
	// tellDrop says what a drop would do.
	const tellDrop = (e) => {
		if (!drop) return hint.remove();
		const fill = (key, values) => toasts.dataset[`drop${key}`].replace(/{(\w+)}/g, (_, name) => values[name]);
		const nameIn = (element) => fill("name", { name: find("bdi", element)?.textContent });
		const { at, how } = drop;
		const { links, name } = dragged ?? {};
		const from = links && leaves(e, idOf(at));
		const values = { what: links?.[1] ? fill("links", { n: links.length }) : name && fill("name", { name }), to: nameIn(at), from: nameIn(find("h1")) };
		const text = fill(from ? "move" : links ? "add" : dragged ? how : at.href ? "save" : "here", values);
		if (hint.isConnected && hint.firstChild.textContent === text) return;
		hint.replaceChildren(create("span", {}, text), from ? create("small", {}, fill("keep", values)) : "");
		document.body.append(hint);
	};
	on("dragstart", (e) => {
		const link = e.target.closest?.(listLinks);
		const row = e.target.closest?.(rowSelector);
		const box = row && find(".pick input", row);
		dragged = {};
		if (link) dragged = { list: idOf(link), item: link.closest("li"), name: find("bdi", link).textContent };
		else if (box) {
			const picked = box.checked ? boxes().filter((other) => other.checked) : [box];
			dragged = { links: picked.map((other) => other.value), name: find(".title", row).textContent.trim() };
			for (const other of picked) other.closest(rowSelector).classList.add("dragged");
		}
	});
	on("dragover", (e) => {
		showDrop(dropAt(e) || undefined);
		tellDrop(e);
		if (drop && drop.how !== "no") e.preventDefault();
	});
	on("dragend", (e) => {
		tellDrop(e, showDrop((dragged = undefined)));
		for (const row of findAll(".dragged")) row.classList.remove("dragged");
	});
	on("dragleave", (e) => e.relatedTarget || tellDrop(e, showDrop()));
	on("drop", async (e) => {
		const { at, how } = drop ?? {};
		const what = dragged;
		tellDrop(e, showDrop((dragged = undefined)));
		if (!at) return;
		e.preventDefault();
		const id = idOf(at);
		if (what?.list) return moveList({ models: what.list, [how]: id });
		if (what) {
			const values = { models: what.links.join(), [id ? "list" : "tag"]: id ?? at.pathname.split("/").pop(), from: leaves(e, id) || "", back: here() };
			changes();
			await ask("POST", `${home}bulk`, { source: toasts, target: toasts, values });
			return refresh();
		}
		const url = e.dataTransfer.getData("text/uri-list").split("\n")[0].trim();
		if (isURL(url)) saveURL(url, id && { lists: `#${id}`, back: here() });
	});

	// A branch of the tree of lists gets its lists from the server, which remembers the branches that are open.
	on("click", async (e) => {
		const branch = e.target.closest("summary")?.closest("[data-branch]");
		if (!branch) return;
		const open = +!branch.open;
		const part = await partOf(branch.dataset.branch, "", new URLSearchParams({ open, rows: branch.dataset.rows }));
		if (!part) return;
		branch.lastElementChild.innerHTML = part;
		load().then(() => htmx.process(branch), () => {});
	});

	// tell sends a POST without fields. The page can be left before the response.
	const tell = (path) => path && fetch(path, { method: "POST", headers: { "HX-Request": "true" }, keepalive: true }).catch(() => {});
	// see tells the server that the user has looked at the link in a part of the page.
	const see = (part) => tell(find("[data-seen]", part)?.dataset.seen);
	see(document);
	// tellOpened tells the server that a link was opened.
	const tellOpened = (link) => {
		const row = link.closest(rowSelector);
		tell(link.dataset.opened ?? (find(".pick", row ?? link) && `${home}links/${row.id.slice(5)}/seen`));
		if (!("opened" in link.dataset)) return;
		delete link.dataset.opened;
		row?.classList.remove("unread");
		changes();
	};
	for (const type of ["click", "auxclick"]) {
		on(type, (e) => {
			const link = e.target.closest("[data-opened], .title a");
			if (link && e.button < 2) tellOpened(link);
		});
	}

	// What a click on an element does, by its data attribute.
	const actions = {
		removes: remove,
		mark: setFlag,
		look: (link) => look(link.closest(rowSelector)),
		shut: () => closePane(),
		takes: takeOffered,
		cancel: () => find("dialog[open]")?.close(),
		place: (control) => openPlaces(control.href ?? `${control.formAction}?${content(control.form)}`),
		copy: (button) => {
			button.closest(".row-actions")?.hidePopover();
			copy(button.dataset.copy);
			const word = find("dialog[open] [data-copy] > span");
			if (word) word.textContent = toasts.dataset.copied; // the message is behind the dialog
		},
		reveal: (button) => {
			const input = find("input", button.parentElement);
			const hidden = input.type === "password";
			input.type = hidden ? "text" : "password";
			button.ariaPressed = hidden;
		},
		keys: () => openDialog("keys"),
	};
	// With the Ctrl key, a name that narrows the view opens its own page.
	on("click", (e) => {
		const name = (e.ctrlKey || e.metaKey) && e.target.closest("[data-alone]");
		if (!name) return;
		const { href } = name;
		name.href = name.dataset.alone;
		setTimeout(() => (name.href = href));
	});
	on("click", (e) => {
		const control = e.target.closest("a, button, input");
		if (!control || e.ctrlKey || e.metaKey || e.altKey) return;
		const { dataset } = control;
		if (dataset.condition) sessionStorage.filter = dataset.condition;
		if (control.matches(".pick input")) return pick(control, e.shiftKey);
		if (e.shiftKey) return;
		for (const [name, action] of Object.entries(actions)) {
			if (name in dataset && action(control) !== false) e.preventDefault();
		}
	});

	// ---- Selection.

	const boxes = () => findAll(".pick input").filter((box) => !box.closest("[hidden]"));
	let lastPicked;
	const pick = (box, run) => {
		const list = boxes();
		const [from, to] = [list.indexOf(lastPicked), list.indexOf(box)].sort((a, b) => a - b);
		if (run && from >= 0) for (const between of list.slice(from, to + 1)) between.checked = box.checked;
		lastPicked = box;
		if (!box.checked) for (const all of findAll("[name=all]")) all.checked = false;
		count();
	};
	const pickAll = (checked) => {
		for (const box of boxes()) box.checked = checked;
		count();
	};
	// count writes the number of selected rows, which the style sheet counts without a script, and tells it
	// to screen readers.
	let told = "";
	const count = () => {
		const number = findAll(".pick input:checked").length;
		for (const n of findAll(".bulk .count .n")) n.textContent = number.toLocaleString(root.lang);
		const text = find(find("[name=all]:checked") ? ".bulk .on" : ".bulk .count")?.textContent.trim();
		if (text !== told && (number || told)) find("#status").textContent = told = number ? text : "";
		return number;
	};
	on("reset", (e) => {
		for (const token of findAll(".token", e.target)) token.remove();
		setTimeout(count);
	});
	on("mousedown", (e) => {
		if (e.shiftKey && e.target.closest(".pick")) e.preventDefault(); // would select text
		if (e.target.closest("[role=option], .mark-menu")) e.preventDefault(); // would take the focus from the field, or the selection
	});

	// ---- Keys.

	const press = (key) => {
		const wanted = `[data-key="${CSS.escape(key)}"]`;
		const picked = count() && find(`.bulk ${wanted}`);
		const control = picked || part(wanted) || findAll(wanted).find((c) => !c.closest(`${rowSelector}, .bulk`));
		control?.click();
		return !!control;
	};
	const part = (selector) => current() && find(selector, current());

	const keys = {
		"/": () => find(".find input[name=q]")?.select(),
		"?": () => openDialog("keys"),
		z: () => press("z") || undo(),
		j: () => press("j") || move(1),
		k: () => press("k") || move(-1),
		ArrowDown: () => inRow() && move(1),
		ArrowUp: () => inRow() && move(-1),
		" ": () => {
			if (document.activeElement.matches("button, input, summary")) return false;
			if (pane) return pane.scrollBy(0, pane.clientHeight * 0.8);
			if (!part("[data-look]")) return press(" ");
			return part("[data-look]").click();
		},
		i: () => (pane ? edit("title") : press("i")),
		e: () => edit("title") || press("e"),
		t: () => (count() ? press("t") : edit("tags") || press("t")),
		l: () => (count() ? press("l") : edit("lists")),
		n: () => (find(".look") ? edit("text") : press("n")),
		r: () => press("r") || (part("[data-look]") && location.assign(part("[data-look]").href.replace("?", "/read?"))),
		y: () => (part(".title a") ? copy(part(".title a").href) : press("y")),
		X: () => pick(Object.assign(part(".pick input") ?? {}, { checked: true }), true),
		"*": () => pickAll(true),
		Escape: () => press("Escape") || (count() || !pane ? pickAll(false) : pane.contains(document.activeElement) ? leave() : closePane()),
		Delete: () => press("#"),
	};

	let prefix = "";
	on("keydown", (e) => {
		keyed = true;
		if (e.defaultPrevented || e.isComposing || comboboxKey(e)) return;
		const field = e.target.closest(textFields);
		if (field?.closest(".look") && (e.key === "Escape" || (e.key === "Enter" && field.matches("textarea.name")))) {
			e.preventDefault();
			if (e.key === "Enter") return field.form.requestSubmit();
			return leave();
		}
		const offer = e.key === "Tab" && !e.shiftKey && e.target.matches(".find [name=q]") && find(".instead a[aria-current]");
		if (offer) { // it is the next thing for those who have found nothing
			e.preventDefault();
			return offer.focus();
		}
		if (root.dataset.shortcuts === "off") return;
		if ((e.ctrlKey || e.metaKey) && e.key === "Enter" && field?.form?.method === "post") {
			e.preventDefault();
			return field.form.requestSubmit();
		}
		if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "k") {
			if (openDialog("jump")) e.preventDefault();
			return;
		}
		if (e.key === "Escape" && e.target.matches(".seek input")) {
			e.target.value = "";
			e.target.dispatchEvent(new Event("input", { bubbles: true }));
		}
		if (e.key === "ArrowDown" && e.target.matches("#place [name=words]")) return find("#places :enabled").focus();
		if (!field && !e.ctrlKey && !e.metaKey && !find("dialog[open]") && listKey(e)) return;
		const chord = (e.ctrlKey || e.altKey || e.metaKey) && !e.getModifierState("AltGraph");
		if (field || chord || find("dialog[open], :popover-open")) return;
		let { key } = e;
		const meant = /^( |Enter)$/.test(key) && e.target.closest("a, button, summary"); // what has the focus; a space does nothing on a link
		if (meant && !(key === " " && meant.matches("a"))) return;
		if (/^[a-z]$/i.test(key)) key = e.shiftKey ? key.toUpperCase() : key.toLowerCase();
		key = prefix + key;
		prefix = key === "g" ? "g " : "";
		if (prefix) setTimeout(() => (prefix = ""), 1500);
		const done = (keys[key] ?? press)(key);
		if (done !== false && done !== null) e.preventDefault();
	});

	// ---- Search: results while typing, and URLs that are saved with one key.

	let pause;
	const search = (input) => {
		const results = document.getElementById("results");
		if (!results || input.value === input.dataset.last) return;
		input.dataset.last = input.value;
		const form = input.form;
		const typed = new URL(location).searchParams.has("q");
		ask("GET", form.action, { source: form, target: results, [typed ? "replace" : "push"]: "true" });
	};
	on("input", (e) => {
		if (!e.target.matches(".find input[name=q]") || e.isComposing) return;
		clearTimeout(pause);
		pause = setTimeout(() => search(e.target), 150);
	});
	on("submit", (e) => {
		const url = e.target.dataset.save && e.target.elements.q.value.trim();
		if (!isURL(url)) return;
		e.preventDefault();
		clearTimeout(pause);
		saveURL(url);
	});
	// newFields returns the fields of the form for a new link on this page.
	const newFields = () => Object.fromEntries(new URL(find("[data-key=n]").href).searchParams);
	// saveURL saves a URL. The form for a new link has the list or tag that the page shows.
	const saveURL = (url, fields) => {
		fields ||= newFields();
		if (!repeats(url)) post(find("[data-save]").dataset.save, { ...fields, url, quick: 1 });
	};
	// offerSeveral offers to save URLs in the list or tag that the page shows.
	const offerSeveral = (urls) => {
		const fields = newFields();
		const into = fields.lists ?? fields.tags;
		const text = toasts.dataset.several.replace("{n}", urls.length) + (into ? ` → ${into}` : "");
		const save = () => repeats(text) || post(`${find("[data-save]").dataset.save}/several`, { back: here(), ...fields, urls: urls.join("\n") });
		toast(text, save, toasts.dataset.saveseveral.replace("{n}", urls.length));
		find("button", toasts).focus();
	};
	on("paste", (e) => {
		if (e.target.closest?.(textFields) || find("dialog[open]")) return;
		if (pasteFile(e.clipboardData)) return e.preventDefault();
		let text = e.clipboardData?.getData("text").trim();
		const input = find("[data-save] input[name=q]");
		if (!input || !text) return;
		e.preventDefault();
		const urls = text.split(/\s+/).filter(isURL);
		if (urls.length > 1) return offerSeveral(urls);
		if (/^[\w-]+(\.[\w-]+)+(:\d+)?(\/\S*)?$/.test(text)) text = `https://${text}`;
		input.value = text.slice(0, 2000);
		input.focus();
		input.dispatchEvent(new Event("input", { bubbles: true }));
	});

	// ---- Fields with a list of suggestions: tags, lists, and the dialog to jump.

	const listOf = (input) => document.getElementById(input.getAttribute("aria-controls"));
	const options = (input) => findAll("[role=option]", listOf(input));
	const select = (input, option) => {
		for (const other of options(input)) other.ariaSelected = other === option;
		option?.scrollIntoView({ block: "nearest" });
		input.setAttribute("aria-activedescendant", option?.id ?? "");
	};
	// The last pages in this tab, which the dialog to jump offers while its field is empty.
	const lastPages = JSON.parse(sessionStorage.pages ?? "[]").filter(([path]) => path !== location.href);
	addEventListener("pagehide", () => {
		const page = [location.href, document.title.split(" · Waymark")[0]];
		sessionStorage.pages = JSON.stringify(find(".side") ? [page, ...lastPages.slice(0, 4)] : []);
	});
	const groupOfPages = (name) => {
		const links = lastPages.map(([href, textContent]) => create("a", { href, textContent }));
		return create("div", { role: "group", ariaLabel: name }, create("h2", { textContent: name }), ...links);
	};

	const showOptions = (input, html, pages) => {
		const list = listOf(input);
		list.innerHTML = html;
		if (pages && lastPages.length) find(".results", list)?.prepend(groupOfPages(pages));
		const announced = find("[data-announce]", list)?.textContent;
		if (announced) find("[role=status]", input.closest("dialog")).textContent = announced;
		for (const link of findAll("a", list)) link.role = "option";
		for (const heading of findAll("h2", list)) heading.role = "presentation";
		const all = options(input);
		all.forEach((option, i) => (option.id = `${list.id}-${i}`));
		list.hidden = !all.length;
		input.ariaExpanded = !list.hidden;
		select(input, all[0]);
	};

	const openDialog = (id) => {
		const dialog = document.getElementById(id);
		if (!dialog || dialog.open) return dialog;
		dialog.showModal();
		const input = find("[role=combobox]", dialog);
		if (input) {
			input.value = "";
			showOptions(input, "");
			suggestFor(input);
		} else if (!dialog.firstElementChild) {
			ask("GET", dialog.dataset.src, { source: dialog, target: dialog });
		}
		return dialog;
	};
	on("click", (e) => {
		if (e.target.matches("dialog.jump")) e.target.close(); // the backdrop
	});

	// A query that ends with a name that the server completes: it has the same expression.
	const unfinished = /(^|[\s(])-?(#|(tag|list|is|site):)("[^"]*|[^\s"()]*)$/i;
	let waiting;
	const suggestFor = (input, asked) => {
		select(input);
		clearTimeout(waiting);
		const text = input.value.trim();
		if (!text && input.dataset.tokens && !asked) return showOptions(input, "");
		if ("query" in input.dataset && !unfinished.test(input.value)) return showOptions(input, "");
		waiting = setTimeout(async () => {
			const html = await partOf(`${input.dataset.tokens ?? input.dataset.src}?q=${encodeURIComponent(text)}`);
			if (html !== undefined && input.value.trim() === text && document.activeElement === input)
				showOptions(input, html, !text && input.dataset.pages);
		}, 120);
	};
	on("input", (e) => {
		if (!e.target.matches("[role=combobox]")) return;
		takeTyped(e.target);
		suggestFor(e.target);
	});

	// comboboxKey handles keys in fields with suggestions.
	const comboboxKey = (e) => {
		if (e.target.matches(".token button")) return tokenKey(e);
		const input = e.target;
		if (!input.matches("[role=combobox]") || e.altKey) return false;
		const all = options(input);
		const at = all.findIndex((option) => option.ariaSelected === "true");
		const open = input.ariaExpanded === "true";
		if (open && e.key === "ArrowDown") select(input, all[(at + 1) % all.length]);
		else if (e.key === "ArrowDown" && input.dataset.tokens) suggestFor(input, true);
		else if (open && e.key === "ArrowUp") select(input, all.at(Math.max(at, 0) - 1));
		else if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
			const search = all.find((option) => "all" in option.dataset);
			if (!search) return false;
			choose(input, search);
		} else if (e.key === "Enter" && open && all[at]?.dataset.value?.trim() === input.value.trim() && "query" in input.dataset) {
			showOptions(input, "");
			return false;
		} else if (e.key === "Enter" && open && at >= 0) choose(input, all[at], e.shiftKey);
		else if (e.key === "Enter" && input.value.trim() && !("query" in input.dataset)) takeTyped(input, true);
		else if (e.key === "Escape" && open && !input.closest("dialog.jump")) showOptions(input, "");
		else if ((e.key === "Backspace" || back(e)) && input.dataset.tokens && input.selectionEnd === 0) {
			beside(input, -1)?.focus();
			return true;
		} else return false;
		e.preventDefault();
		return true;
	};
	const back = (e) => e.key === (getComputedStyle(e.target).direction === "rtl" ? "ArrowRight" : "ArrowLeft");

	const choose = (input, option, inTab) => {
		if ("query" in input.dataset) {
			input.value = option.dataset.value;
			input.dispatchEvent(new Event("input", { bubbles: true }));
		} else if (option.dataset.value !== undefined) {
			input.value = "";
			addToken(input, option.dataset.value);
			showOptions(input, "");
		} else if (inTab) window.open(option.href, "_blank", "noopener");
		else location.href = option.href;
	};
	on("click", (e) => {
		const option = e.target.closest("[role=option][data-value]");
		if (option) choose(document.activeElement, option); // the options disappear when the field loses the focus
	});
	on("focusout", (e) => {
		if (e.target.matches("[role=combobox]:is([data-tokens], [data-query])")) showOptions(e.target, "");
	});

	// ---- Fields with tokens. The text field that they replace keeps the names, with commas
	// between them, and is what the form sends.

	const parseNames = (text) => text.split(",").map((name) => name.trim()).filter(Boolean);

	const tokensOf = (input) => findAll(".token", input.parentElement);
	const store = (input) => {
		const names = tokensOf(input).map((token) => token.dataset.name);
		input.field.value = [...names, ...parseNames(input.value)].join(", ");
	};
	const addToken = (input, name, again) => {
		const folded = name.toLocaleLowerCase();
		if (again || !tokensOf(input).some((token) => token.dataset.name.toLocaleLowerCase() === folded)) {
			const innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M18 6 6 18M6 6l12 12"/></svg>`;
			const button = create("button", { type: "button", tabIndex: -1, ariaLabel: input.dataset.remove.replace("{name}", name), innerHTML });
			const token = create("span", { className: "token" }, create("bdi", { textContent: name }), button);
			token.dataset.name = name;
			if ("hues" in input.dataset) token.prepend(create("span", { className: `dot h${hue(name)}` }));
			input.before(token);
		}
		store(input);
		if (!again) tellChange(input);
	};
	// tellChange says that the names changed: the text field that has them is not the one in which people type.
	const tellChange = (input) => input.field.dispatchEvent(new Event("change", { bubbles: true }));
	// hue returns the colour of a name, which the server computes alike.
	const hue = (name) => hash(name.split("/").pop()) % 12;
	// hash returns the FNV-1a hash of a text.
	const hash = (text) => {
		let hash = 2166136261;
		for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
		return hash;
	};
	// beside returns the button or field before or after one of those in a field with tokens.
	const beside = (control, step) => {
		const all = findAll("button, input", control.closest(".tokens"));
		return all[all.indexOf(control) + step];
	};
	const removeToken = (button, step = 1) => {
		const input = find("input", button.closest(".tokens"));
		const next = beside(button, step) ?? input;
		button.closest(".token").remove();
		store(input);
		tellChange(input);
		next.focus();
	};
	const tokenKey = (e) => {
		if (e.key === "Backspace") removeToken(e.target, -1);
		else if (e.key === "Delete") removeToken(e.target);
		else if (e.key === "ArrowLeft" || e.key === "ArrowRight") beside(e.target, back(e) ? -1 : 1)?.focus();
		else return false;
		e.preventDefault();
		return true;
	};
	// takeTyped makes tokens of the typed names: of those before the last comma, or of all.
	const takeTyped = (input, all) => {
		if (!input.dataset.tokens) return;
		const names = input.value.split(",");
		if (all || names.length > 1) {
			input.value = all ? "" : names.pop().trimStart();
			for (const name of parseNames(names.join())) addToken(input, name);
			if (all) showOptions(input, "");
		}
		store(input);
	};
	on("click", (e) => {
		const button = e.target.closest(".token button");
		if (button) removeToken(button);
		else if (e.target.matches(".tokens")) find("input", e.target).focus();
	});

	const makeTokens = (field) => {
		const list = create("div", { className: "menu", id: `${field.id}-options`, role: "listbox", hidden: true });
		list.ariaLabel = field.labels[0]?.textContent ?? field.ariaLabel;
		const input = Object.assign(field.cloneNode(), { name: "", className: "", defaultValue: "", value: "", role: "combobox", ariaAutoComplete: "list", ariaExpanded: false });
		input.removeAttribute("list");
		input.setAttribute("aria-controls", list.id);
		input.field = field;
		input.addEventListener("change", (e) => {
			e.stopPropagation();
			if (input.value.trim()) tellChange(input);
		});
		const focused = document.activeElement === field;
		field.before(create("div", { className: "choices" }, create("div", { className: "tokens" }, input), list));
		field.removeAttribute("id");
		field.hidden = true;
		for (const name of parseNames(field.value)) addToken(input, name, true); // a link can be in several lists of one name
		if (focused) input.focus();
	};

	// ---- The menu of a row on a touch screen gets what needs a script when it is opened.

	document.addEventListener("beforetoggle", ({ target: menu, newState }) => {
		if (newState !== "open" || !menu.matches(".row-actions") || find(".in-sheet", menu)) return;
		const title = find(".title a", menu.parentElement);
		const details = find("[data-look]", menu);
		const [heading, address] = find("#row-sheet").content.cloneNode(true).children;
		heading.textContent = title.textContent;
		address.dataset.copy = title.dataset.print ?? title.href;
		menu.prepend(heading);
		details.after(address);
	}, true);

	// ---- The menu of filters gets what narrows the view when it is opened, and those for the lists and tags of
	// the selected links what these have. After a choice, the page of the new view opens the menu again.

	document.addEventListener("toggle", async ({ target, newState }) => {
		const used = newState === "open" && find("[data-used]", target);
		const names = used && (await partOf(`${used.dataset.used}?${new URLSearchParams(new FormData(used.form))}`));
		if (names) {
			used.innerHTML = names;
			enhance(used);
		}
		const box = newState === "open" && find("[data-facets]", target);
		const html = box && (await partOf(find("a", box).href, box.id));
		if (html === undefined || !box) return;
		box.innerHTML = html;
		delete box.dataset.facets;
		find(`[data-condition="${CSS.escape(chosen)}"]`, box)?.focus();
	}, true);
	const chosen = sessionStorage.filter;
	sessionStorage.filter = "";
	const button = chosen ? find("[popovertarget=filter]") : null;
	button?.focus(); // Escape returns there
	button?.click();

	// ---- The reader: how much was read, which the server remembers, and how the text looks.

	const article = find("[data-read]");
	if (article) {
		const { dataset } = article;
		const [left, bar] = [find(".bar .left"), find(".bar progress")];
		const blocks = findAll("[id^=p-]", article);
		const at = +dataset.perMille > 970 ? 0 : +dataset.at;
		let stored = "";
		let rest;
		const position = () => {
			const end = article.getBoundingClientRect().bottom + scrollY - innerHeight;
			const part = end > 0 ? Math.min(1, scrollY / end) : 1;
			const block = blocks.findLastIndex((b) => b.getBoundingClientRect().top < 81); // see scroll-padding
			return { paragraph: block + 1, "per-mille": Math.round(part * 1000) };
		};
		const keep = () => {
			const body = new URLSearchParams(position());
			if (String(body) === stored) return;
			stored = String(body);
			fetch(dataset.read, { method: "POST", body, keepalive: true }).catch(() => {
				stored = "";
				const place = { id: Number(/(\d+)\/read$/.exec(dataset.read)[1]), at: Object.fromEntries(body) };
				navigator.serviceWorker?.controller?.postMessage({ place }, [new MessageChannel().port2]);
			});
		};
		if (at && !location.hash) document.getElementById(`p-${at}`)?.scrollIntoView({ behavior: "instant" });
		if (at || scrollY) stored = String(new URLSearchParams(position()));
		on("scroll", () => {
			const read = position()["per-mille"];
			const n = Math.max(1, Math.ceil((dataset.minutes * (1000 - read)) / 1000));
			const text = read > 970 ? left.dataset.through : left.dataset.left.replace("{n}", n);
			if (left.textContent !== text) left.textContent = text;
			bar.value = read;
			clearTimeout(rest);
			rest = setTimeout(keep, 2000);
		});
		addEventListener("pagehide", () => scrollY && keep());
	}
	let looks;
	on("change", ({ target: { form } }) => {
		const reader = find(".reader");
		if (!reader || !form || !("reading" in form.dataset)) return;
		const { size, width, theme } = Object.fromEntries(new FormData(form));
		reader.className = `reader ${size} ${width}`;
		root.dataset.theme = theme || form.dataset.reading;
		const body = new URLSearchParams(new FormData(form));
		const send = () => fetch(form.action, { method: "POST", headers: { "HX-Request": "true" }, body, keepalive: true }).catch(() => {});
		looks = looks ? looks.then(send) : send(); // one after the other, so that the last one stays
	});

	// ---- Marked passages: a menu beside what is selected in the text of the reader.

	const markMenu = find("#mark-menu");
	const prose = find(".reading > .prose");
	// markable returns the selected part of the text, if there is one.
	const markable = () => {
		const selection = getSelection();
		const range = selection.rangeCount && !selection.isCollapsed && selection.getRangeAt(0).cloneRange();
		if (!range || !range.intersectsNode(prose)) return undefined;
		const whole = document.createRange();
		whole.selectNodeContents(prose);
		if (range.compareBoundaryPoints(Range.START_TO_START, whole) < 0) range.setStart(prose, 0);
		if (range.compareBoundaryPoints(Range.END_TO_END, whole) > 0) range.setEnd(prose, prose.childNodes.length);
		return range;
	};
	// wordsIn returns the text of a range, without notes.
	const wordsIn = (range) => {
		const words = range.cloneContents();
		for (const note of findAll(".margin", words)) note.remove();
		for (const block of findAll("p, li, h2, h3, h4, h5, h6, pre, tr, br", words)) block.after("\n");
		return words.textContent.trim();
	};
	let choosing;
	const showMarkMenu = () => {
		const range = markable();
		const words = range && wordsIn(range);
		markMenu.hidden = !words;
		if (!words) return;
		find("[data-copy]", markMenu).dataset.copy = words;
		const { top, bottom, left } = range.getBoundingClientRect();
		const { offsetHeight, offsetWidth } = markMenu;
		const above = top - offsetHeight - 6;
		markMenu.style.top = `${scrollY + (above > 70 ? above : bottom + 6)}px`; // below the bar
		markMenu.style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 24))}px`;
	};
	const showMarkMenuSoon = () => {
		clearTimeout(choosing);
		if (markMenu) choosing = setTimeout(showMarkMenu, 150);
	};
	on("selectionchange", showMarkMenuSoon);
	addEventListener("resize", showMarkMenuSoon);
	on("submit", (e) => {
		if (e.target !== markMenu) return;
		const range = markable();
		if (!range) return e.preventDefault();
		const [before, after] = [range.cloneRange(), range.cloneRange()];
		before.collapse(true);
		before.setStart(prose, 0);
		after.collapse(false);
		after.setEnd(prose, prose.childNodes.length);
		const around = (part) => [...wordsIn(part).replace(/\s+/g, " ")];
		const fields = markMenu.elements;
		fields.exact.value = wordsIn(range);
		fields.prefix.value = around(before).slice(-32).join("");
		fields.suffix.value = around(after).slice(0, 32).join("");
		fields.position.value = new TextEncoder().encode(wordsIn(before).replace(/\s+/g, "")).length;
	});
	// A click on a marked passage leads to it below the text.
	on("click", ({ target }) => {
		const part = target.closest(".prose mark");
		if (!part || target.closest("a") || !getSelection().isCollapsed) return;
		const marks = findAll("mark", prose);
		const { id } = marks.slice(0, marks.indexOf(part) + 1).findLast((m) => m.id);
		location.hash = id.replace("passage", "marked");
	});

	// ---- Import: a file that is chosen, dropped anywhere on the page or pasted starts it, as does a pasted text.

	const importFiles = (files) => {
		const input = find("[data-drop]");
		if (!input || !files.length) return;
		if (files !== input.files) input.files = files;
		input.form.requestSubmit();
	};
	const hasFiles = (e) => find("[data-drop]") && e.dataTransfer.types.includes("Files");
	const over = (e, is) => find(".drop")?.classList.toggle("over", is);
	on("dragover", (e) => {
		if (!hasFiles(e)) return;
		e.preventDefault();
		over(e, true);
	});
	on("dragleave", (e) => e.relatedTarget || over(e, false));
	on("drop", (e) => {
		if (!hasFiles(e)) return;
		e.preventDefault();
		over(e, false);
		importFiles(e.dataTransfer.files);
	});
	// pasteFile imports what is pasted on the page for imports: a file, or a text with several lines.
	const pasteFile = (data) => {
		if (!find("[data-drop]") || !data) return false;
		const text = data.getData("text");
		if (data.files.length) importFiles(data.files);
		else if (text.trim().includes("\n")) {
			const files = new DataTransfer();
			files.items.add(new File([text], "pasted.txt", { type: "text/plain" }));
			importFiles(files.files);
		} else return false;
		return true;
	};
	// tellOptions writes what the options of an import will do.
	const tellOptions = (form) => {
		const texts = findAll("select", form).filter((select) => select.checkVisibility() || select.name !== "folder-names");
		find("[data-sum]", form).textContent = texts.map((select) => `${select.labels[0].textContent.trim()} ${select.selectedOptions[0].textContent.trim()}`).join(" · ");
	};

	// ---- Small things.

	const copy = async (text) => {
		if (!text) return;
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			// Without https there is no navigator.clipboard, and execCommand copies from a field.
			const field = create("textarea", { value: text, className: "visually-hidden" });
			(find("dialog[open]") ?? document.body).append(field);
			const before = document.activeElement;
			field.select();
			document.execCommand("copy");
			field.remove();
			before?.focus();
		}
		toast(toasts.dataset.copied);
	};

	on("change", (e) => {
		if (e.target.name === "into") namePlace();
		if ("drop" in e.target.dataset) importFiles(e.target.files);
		else if (find("[data-sum]", e.target.form ?? e.target)) tellOptions(e.target.form);
		if (e.target.matches("[name=all]")) pickAll(e.target.checked || !!e.target.closest(".bulk"));
		if ("submit" in e.target.dataset) e.target.form.requestSubmit();
	});

	// enhance changes elements that a handler on the document cannot.
	const enhance = (part) => {
		for (const field of findAll("input[data-tokens]:not([hidden], [role])", part)) makeTokens(field);
		for (const group of findAll("[data-saves]", part.parentElement ?? part)) group.saved ??= valuesIn(group);
		for (const row of findAll("[data-waiting]", part)) watch(row);
		for (const name of findAll("[data-alone]", part)) name.title = toasts.dataset.narrow.replace("{name}", name.textContent);
		const done = find("[data-close]", part);
		if (done) setTimeout(close, done.dataset.close);
	};
	enhance(document);
	restorePlace();
	const first = location.hash.startsWith("#link-") ? find(location.hash) : localStorage.pane ? (current() ?? rows()[0]) : null;
	if (wide.matches && first?.matches(rowSelector) && detailsOf(first)) look(first, undefined, true);
	// Back can show the page with the state of its script, or an old page from the cache. The page is
	// loaded again if something was changed since, unless that would lose an edit or repeat a change. A form
	// that was saved as it is has no edit.
	// Firefox sets performance.timeOrigin to the time of Back.
	const opened = Date.now();
	addEventListener("pageshow", ({ persisted }) => {
		sent.clear();
		count();
		if (!persisted && performance.getEntriesByType("navigation")[0].type !== "back_forward") return;
		if (!(localStorage.changed > (persisted && opened))) return;
		for (const form of document.forms) if (localStorage.saved?.includes(fingerprint(form))) form.reset();
		if (findAll("[method=post] input, textarea").some((field) => field.value !== field.defaultValue && !field.closest("[data-saves]"))) return;
		if (find("[data-posted], [method=post] :default:not(button, :checked, [data-saves] *)")) return;
		sessionStorage.undo = localStorage.tab === sessionStorage.tab ? localStorage.undo : "";
		keepPlace();
		location.reload();
	});
})();
