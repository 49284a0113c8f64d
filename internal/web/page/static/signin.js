// The script of the pages on which people sign in and prove who they are. They work without it, except for
// passkeys: it sends a code with its last figure, saves and prints recovery codes, makes and uses passkeys.
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

	// ---- Passkeys, where the browser has them for this address.

	const { PublicKeyCredential: passkeys } = window;
	if (!passkeys?.parseRequestOptionsFromJSON) return;
	document.querySelectorAll("[data-passkey], [data-passkeys]").forEach((element) => (element.hidden = false));

	// send sends the form of a button or a field with the answer of a passkey.
	const send = (form, name, answer, action) => {
		const field = form.elements[name] instanceof HTMLInputElement ? form.elements[name] : document.createElement("input");
		Object.assign(field, { type: "hidden", name, value: JSON.stringify(answer) });
		form.append(field);
		if (action) form.action = action;
		form.submit();
	};

	let waiting; // for a passkey that the person picks in the field for the name
	const use = async (button, options) => {
		waiting?.abort();
		waiting = new AbortController();
		const { signal } = waiting;
		try {
			const response = await fetch(button.dataset.passkey, { method: "POST" });
			const { publicKey } = await response.json();
			const answer = await navigator.credentials.get({ publicKey: passkeys.parseRequestOptionsFromJSON(publicKey), signal, ...options });
			send(button.form, button.name, answer, button.getAttribute("formaction"));
		} catch {
			// The person has cancelled it, or chosen another way.
		}
	};
	on("[data-passkey]", "click", (button) => use(button));
	const autofill = document.querySelector("[data-autofill]");
	if (autofill) {
		passkeys.isConditionalMediationAvailable?.().then((can) => {
			if (can && !waiting) use(autofill, { mediation: "conditional" });
		});
	}

	document.querySelectorAll("[data-create]").forEach((form) => {
		form.addEventListener("submit", async (e) => {
			e.preventDefault();
			const { publicKey } = JSON.parse(form.dataset.create);
			try {
				send(form, "passkey", await navigator.credentials.create({ publicKey: passkeys.parseCreationOptionsFromJSON(publicKey) }));
			} catch (error) {
				if (error.name === "InvalidStateError") form.querySelector(".wrong").replaceChildren(form.querySelector("template").content.cloneNode(true));
			}
		});
	});
})();
