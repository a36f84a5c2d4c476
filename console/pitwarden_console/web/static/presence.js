// Reports to the console that a person touches this page or types, so that it does not ask again who is there. Not every
// browser states in a request whether a person led to it.
"use strict";

(() => {
  const EVERY_MS = 15000;
  const token = document.querySelector(".sign-out input[name=csrf]");
  if (!token) return;
  let reportedAt = -Infinity;

  async function touched(event) {
    if (!event.isTrusted || performance.now() - reportedAt < EVERY_MS) return;
    reportedAt = performance.now();
    try {
      await fetch("/presence", {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ csrf: token.value }),
      });
    } catch {
      reportedAt = -Infinity; // the console does not answer: the next touch is reported again
    }
  }

  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, touched, { passive: true });
})();
