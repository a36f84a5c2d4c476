// Lets a browser's authenticator answer a form with the id "passkey": it asks the console for the options, and sends what
// the authenticator signed as two fields of the form. Without support in the browser the form stays hidden.
"use strict";

(() => {
  const form = document.getElementById("passkey");
  if (!form || !window.PublicKeyCredential || !PublicKeyCredential.parseRequestOptionsFromJSON) return;
  const fields = form.elements;
  const told = form.querySelector("output");
  const button = form.querySelector("button");
  form.hidden = false;

  async function answered() {
    const asked = await fetch(form.dataset.options, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
      body: new URLSearchParams({ csrf: fields.csrf ? fields.csrf.value : "" }),
    });
    const { ceremony, options, sentence } = await asked.json();
    if (!asked.ok) throw new Error(sentence);
    const made = form.dataset.kind === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    fields.ceremony.value = ceremony;
    fields.credential.value = JSON.stringify(made.toJSON());
  }

  // The sentence of the console, or that it sent none. What an authenticator refuses is not for a person to read.
  function why(error) {
    if (error.name === "Error") return error.message;
    return error.name === "TypeError" || error.name === "SyntaxError" ? "The console does not answer: try again." : "";
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return; // a second tap would end the ceremony of the first
    button.disabled = true;
    told.textContent = form.dataset.wait;
    try {
      await answered();
      document.dispatchEvent(new Event("leaving"));
      form.submit();
    } catch (error) {
      told.textContent = `${form.dataset.failed} ${why(error)}`.trim();
      button.disabled = false;
    }
  });
})();
