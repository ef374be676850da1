// Says that a question waits, by a notification or a sound, if the person has asked for it with the bell.
// It names the server and never the question, speaks once for all tabs, and is silent while one of them is looked at.

import { isTyped } from "./dirty_form.js"
import { home } from "./home.js"

const STORED = "attention"
const LOOKING = `${home}attention looking`
const CLAIM_MS = 30_000 // other tabs learn of the same question within seconds
const QUIET_MS = 3000 // between two sounds

const find = (id) => document.getElementById(id)
const known = new Set()
const notifications = new Map()
let audio = null
let sounded = -QUIET_MS

function wishes() {
  try {
    return JSON.parse(localStorage.getItem(STORED)) ?? {}
  } catch {
    return {}
  }
}

function store(change) {
  try {
    localStorage.setItem(STORED, JSON.stringify({ ...wishes(), ...change }))
  } catch {
    // Where nothing can be stored, the choice lasts as long as the page shows it.
  }
}

const permission = () => ("Notification" in window && isSecureContext ? Notification.permission : "unsupported")
const notifies = () => wishes().notification === true && permission() === "granted"
const sounds = () => wishes().sound === true

// The bell and its choices.

function showChoices() {
  const bell = find("attention-bell")
  if (!bell) return
  bell.hidden = !bell.popoverTargetElement
  find("attention-notification").checked = notifies()
  find("attention-sound").checked = sounds()
  const state = notifies() || sounds() ? "on" : "off"
  bell.dataset.state = state
  for (const label of bell.querySelectorAll("[data-attention]")) label.hidden = label.dataset.attention !== state
  showProblem(wishes().notification === true && !notifies())
}

function showProblem(refused) {
  const { denied, unsupported } = find("attention-problem").dataset
  const text = !refused ? "" : permission() === "unsupported" ? unsupported : denied
  if (find("attention-problem").textContent !== text) find("attention-problem").textContent = text
}

async function chooseNotification(wanted) {
  if (wanted && permission() === "default") await Notification.requestPermission()
  store({ notification: wanted })
  if (!wanted) closeAll()
  showChoices()
}

function chooseSound(wanted) {
  store({ sound: wanted })
  if (wanted) play()
  showChoices()
}

document.addEventListener("change", ({ target }) => {
  if (target.id === "attention-notification") chooseNotification(target.checked)
  if (target.id === "attention-sound") chooseSound(target.checked)
})

// A tab that is looked at holds a lock, so that the others know. Timers would not do: a hidden tab has one a minute.

let release = null

const isLookedAt = () => !document.hidden && document.hasFocus()

function look() {
  if (isLookedAt()) closeAll()
  if (!navigator.locks || isLookedAt() === (release !== null)) return
  if (release) {
    release()
    release = null
    return
  }
  const seen = new Promise((resolve) => (release = resolve))
  navigator.locks.request(LOOKING, { mode: "shared" }, () => seen).catch(() => {})
}

async function someoneLooks() {
  if (isLookedAt()) return true
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return held.some(({ name }) => name === LOOKING)
}

// Of all tabs, the first one to claim a question speaks.

function claim(id) {
  if (!navigator.locks) return true
  return new Promise((resolve) => {
    const hold = (lock) => {
      resolve(lock !== null)
      return lock && new Promise((done) => setTimeout(done, CLAIM_MS))
    }
    navigator.locks.request(`${home}${STORED} ${id}`, { ifAvailable: true }, hold).catch(() => resolve(false))
  })
}

async function arrive() {
  const arrived = [...document.querySelectorAll("#arrivals > li")].filter(({ dataset }) => !known.has(dataset.request))
  for (const { dataset } of arrived) known.add(dataset.request)
  if (!arrived.length || !(notifies() || sounds()) || (await someoneLooks())) return
  const claimed = await Promise.all(arrived.map(async ({ dataset }) => (await claim(dataset.request)) && dataset.server))
  const servers = new Set(claimed.filter(Boolean))
  if (!servers.size) return
  if (sounds()) play()
  if (notifies()) servers.forEach(notify)
}

function notify(server) {
  const row = find(`server-${server}`)
  const body = row?.querySelector(".count .visually-hidden")?.textContent
  if (!body) return // answered meanwhile
  const notification = new Notification(row.querySelector(".server-link__label").textContent, { body, tag: server, renotify: true })
  notification.addEventListener("click", () => goTo(server))
  notifications.get(server)?.close()
  notifications.set(server, notification)
}

function goTo(server) {
  focus()
  closeAll()
  if (![...document.forms].some(isTyped)) location.assign(`${home}?server=${encodeURIComponent(server)}`)
}

function closeAnswered() {
  for (const [server, notification] of notifications) {
    if (find(`server-${server}`)?.querySelector(".count")) continue
    notification.close()
    notifications.delete(server)
  }
}

function closeAll() {
  for (const notification of notifications.values()) notification.close()
  notifications.clear()
}

// Two short tones, made here.

function play() {
  if (performance.now() - sounded < QUIET_MS) return
  sounded = performance.now()
  audio ??= new AudioContext()
  audio.resume().then(() => [660, 880].forEach(tone), () => {})
}

function tone(frequency, place) {
  const begins = audio.currentTime + place * 0.14
  const oscillator = new OscillatorNode(audio, { frequency })
  const gain = new GainNode(audio, { gain: 0 })
  gain.gain.setValueAtTime(0, begins)
  gain.gain.linearRampToValueAtTime(0.08, begins + 0.02)
  gain.gain.exponentialRampToValueAtTime(0.001, begins + 0.3)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.start(begins)
  oscillator.stop(begins + 0.3)
}

document.addEventListener("htmx:after:swap", () => {
  closeAnswered()
  arrive()
})
document.addEventListener("page:shown", showChoices)
document.addEventListener("visibilitychange", look)
addEventListener("focus", look)
addEventListener("blur", look)
addEventListener("pagehide", closeAll)
addEventListener("storage", showChoices)
showChoices()
look()
