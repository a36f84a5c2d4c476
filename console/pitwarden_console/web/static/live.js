// Keeps a page current, and reports when it is not. A page is live only while beats of the console arrive: two seconds
// without one, whatever the stream's state, and everything on the page is marked as past.
"use strict";

(() => {
  const isWall = document.body.dataset.wall === "yes"; // no one can touch it
  const CHECK_MS = 250;
  const SILENCE_MS = 1700; // a beat comes each second; with the check that notices, less than two
  const FIRST_RETRY_MS = 1000;
  const LAST_RETRY_MS = 8000; // three hundred pages that return to a console at once must not keep it from starting
  const root = document.documentElement;
  const address = document.body.dataset.stream;
  const build = document.body.dataset.build;
  const words = document.body.dataset; // sentences in the language of the page
  const policy = window.trustedTypes ? window.trustedTypes.createPolicy("pit", { createHTML: (html) => html }) : null;

  let source = null;
  let beatAt = -Infinity; // monotonic time of the last beat
  let serverMs = 0; // the console's time in that beat
  let lastClock = "";
  let openAt = -Infinity; // monotonic time of the next try
  let retryMs = FIRST_RETRY_MS; // grows until a beat arrives: an open connection alone proves nothing
  let wallMs = Date.now();
  let checkedAt = performance.now();
  let shown = null; // what the page was last marked as
  let ended = ""; // why this page can never be live again without a reload
  let urgent = new Set();
  let leaving = false;

  const live = () => performance.now() - beatAt <= SILENCE_MS && ended === "";

  function open() {
    if (source) source.close();
    openAt = performance.now() + SILENCE_MS + later();
    source = new EventSource(address);
    source.addEventListener("beat", taken(beat));
    source.addEventListener("parts", taken(update));
    source.addEventListener("over", taken(() => end(words.wordsSignedOut)));
    // The browser would try again each second, or never where the console refuses: the tries are our own.
    source.addEventListener("error", () => { source.close(); openAt = performance.now() + later(); });
  }

  // How long to wait for the next try: twice as long as before, and not at the same time as every other page.
  function later() {
    const waited = retryMs * (0.5 + Math.random() / 2);
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    return waited;
  }

  // A page that cannot show what arrives must not look live for the beats that go on arriving.
  function taken(handle) {
    return (event) => {
      try {
        handle(JSON.parse(event.data));
      } catch {
        end(words.wordsUnreadable);
      }
    };
  }

  function end(reason) {
    ended = reason;
    source.close();
    show();
    setText("urgent", reason);
  }

  function beat(data) {
    if (data.build !== build) {
      if (isWall) location.reload();
      end(words.wordsUpdated);
    } else {
      beatAt = performance.now();
      retryMs = FIRST_RETRY_MS;
      openAt = Infinity;
      serverMs = data.ms;
      lastClock = root.dataset.utc ? `${data.clock} (${data.clockUtc})` : data.clock;
      setText("clock", data.moment);
      setText("clock-utc", ` (${data.momentUtc})`);
    }
    show();
  }

  function update(parts) {
    const shape = document.getElementById("shape")?.dataset.shape;
    for (const [id, html] of Object.entries(parts)) {
      const old = document.getElementById(id);
      if (!old) continue;
      const template = document.createElement("template");
      template.innerHTML = policy ? policy.createHTML(html) : html;
      morph(old, template.content.firstElementChild);
    }
    // The page as a whole is another one: a table turned out to be simulated, or can be acted on again.
    // Not while a form is on its way: that would cancel the page with its answer.
    if (document.getElementById("shape")?.dataset.shape !== shape && !leaving) location.reload();
    ages();
    announce();
  }

  // Changes `old` into `made` in place, so that focus, selection and scroll positions survive.
  function morph(old, made) {
    if (old.nodeType !== made.nodeType || old.nodeName !== made.nodeName) {
      old.replaceWith(made);
      return;
    }
    if (old.nodeType === Node.TEXT_NODE) {
      if (old.data !== made.data) old.data = made.data;
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) return;
    for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const before = [...old.childNodes];
    const after = [...made.childNodes];
    after.forEach((child, place) => (place < before.length ? morph(before[place], child) : old.append(child)));
    before.slice(after.length).forEach((child) => child.remove());
  }

  // What is new among the most urgent, in one sentence for screen readers.
  function announce() {
    const now = new Set([...document.querySelectorAll(".needs .p1.unacknowledged a")].map((each) => each.textContent.trim()));
    const fresh = [...now].filter((each) => !urgent.has(each));
    urgent = now;
    if (fresh.length) setText("urgent", fresh.length > 3 ? `${fresh.length} new of priority 1` : fresh.join("; "));
  }

  function ages() {
    const now = serverMs + (performance.now() - beatAt);
    for (const each of document.querySelectorAll("[data-since]")) {
      const seconds = Math.max(0, Math.floor((now - Number(each.dataset.since)) / 1000));
      const rest = String(seconds % 60).padStart(2, "0");
      const minutes = Math.floor(seconds / 60);
      const text = minutes >= 48 * 60 ? `${Math.floor(minutes / 1440)} d` : minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
      if (each.textContent !== text) each.textContent = text;
    }
  }

  function show() {
    const yes = live();
    if (shown !== yes) {
      shown = yes;
      root.dataset.live = yes ? "yes" : "no";
      setText("live", yes ? words.wordsLive : words.wordsNotLive, "strong");
      for (const each of document.querySelectorAll(".acts button, .acts input, .acts textarea, .house button, .house input")) each.disabled = !yes;
    }
    if (!yes) {
      const past = lastClock ? words.wordsPast.replace("{time}", lastClock) : "";
      if (ended || past) setText("band", `${past} ${ended}`.trim());
    } else {
      ages();
    }
  }

  function setText(id, text, inner) {
    const found = document.getElementById(id);
    const target = found && inner ? found.querySelector(inner) : found;
    if (target && target.textContent !== text) target.textContent = text;
  }

  // A page that comes back has a dead stream or an old picture, whatever the stream reports: it begins again.
  function again() {
    if (ended) return;
    leaving = false;
    beatAt = -Infinity;
    retryMs = FIRST_RETRY_MS;
    show();
    open();
  }

  // A form that a script holds back is not on its way: the script reports when it is.
  document.addEventListener("submit", (event) => { if (!event.defaultPrevented) leaving = true; });
  document.addEventListener("leaving", () => { leaving = true; });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") again(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) again(); });
  window.addEventListener("online", again);
  window.addEventListener("pagehide", () => { if (source) source.close(); });
  setInterval(() => {
    // A sleeping device stops the monotonic clock, and the picture on it is as old as the sleep was long.
    const slept = Date.now() - wallMs - (performance.now() - checkedAt);
    [wallMs, checkedAt] = [Date.now(), performance.now()];
    if (slept > SILENCE_MS) again();
    show();
    if (live() || ended) return;
    if (openAt === Infinity) openAt = performance.now() + later(); // open and mute
    if (performance.now() >= openAt) open(); // retries never end
  }, CHECK_MS);
  show();
  open();
})();
