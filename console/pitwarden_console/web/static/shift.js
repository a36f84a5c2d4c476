// Plays the tone when a shift starts, and sends with the form whether it was played.
"use strict";

(() => {
  const form = document.getElementById("shift");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const field = form.elements.namedItem("sound");
    try {
      await document.getElementById("tone-3").play();
      field.value = "played";
    } catch {
      field.value = "silent";
    }
    form.submit();
  });
})();
