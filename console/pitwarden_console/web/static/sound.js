// Sounds while something in the page's part "alarm" asks for attention. A browser plays nothing before a person has touched
// the page: then the header reads SOUND OFF, and a touch of it plays the tone.
"use strict";

(() => {
  const CHECK_MS = 250;
  const REPEAT_MS = { 1: 10000, 2: 30000, 3: Infinity };
  const root = document.documentElement;
  const button = document.getElementById("sound");
  let names = new Set();
  let playedAt = -Infinity;
  let wasLive = false;

  async function play(id) {
    const audio = document.getElementById(id);
    audio.currentTime = 0;
    try {
      await audio.play();
      shown(true);
      root.dataset.sounded = id;
    } catch {
      shown(false);
    }
  }

  function shown(on) {
    button.dataset.sound = on ? "on" : "off";
    const text = on ? document.body.dataset.wordsSoundOn : document.body.dataset.wordsSoundOff;
    if (button.textContent !== text) button.textContent = text;
  }

  function check() {
    const alarm = document.getElementById("alarm");
    const live = root.dataset.live === "yes";
    // A page that stops being live is heard once: nothing on it can be trusted or silenced any more.
    if (wasLive && !live) play("tone-1");
    wasLive = live;
    if (!live || !alarm) return;
    const priority = Number(alarm.dataset.priority);
    const now = new Set(alarm.dataset.names.split(" ").filter(Boolean));
    const fresh = [...now].some((each) => !names.has(each));
    names = now;
    if (priority === 0) return;
    if (fresh || performance.now() - playedAt >= REPEAT_MS[priority]) {
      playedAt = performance.now();
      play(`tone-${priority}`);
    }
  }

  async function awake() {
    if (!navigator.wakeLock || document.visibilityState !== "visible") return;
    try { await navigator.wakeLock.request("screen"); } catch { return; } // a low battery refuses it
  }

  button.addEventListener("click", () => { play("tone-3"); awake(); });
  document.addEventListener("visibilitychange", awake);
  document.getElementById("probe").play().then(() => shown(true), () => shown(false));
  awake();
  setInterval(check, CHECK_MS);
})();
