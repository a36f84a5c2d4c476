// Lets a browser's authenticator answer a form with the id "passkey": it asks the console for the options, and sends what
// the authenticator signed as two fields of the form. Without support in the browser the form stays hidden.
"use strict";

(() => {
  const form = document.getElementById("passkey");
  if (!form || !window.PublicKeyCredential || !PublicKeyCredential.parseRequestOptionsFromJSON) return;
  const fields = form.elements;
  const told = form.querySelector("output");
  form.hidden = false;

  async function answered() {
    const asked = await fetch(form.dataset.options, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ csrf: fields.csrf ? fields.csrf.value : "" }),
    });
    if (!asked.ok) throw new Error(await asked.text());
    const { ceremony, options } = await asked.json();
    const made = form.dataset.kind === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    fields.ceremony.value = ceremony;
    fields.credential.value = JSON.stringify(made.toJSON());
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    told.textContent = form.dataset.wait;
    try {
      await answered();
      form.submit();
    } catch (error) {
      told.textContent = `${form.dataset.failed} ${error.name === "Error" ? error.message : ""}`.trim();
    }
  });
})();
