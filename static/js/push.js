// Subscribes this browser to notifications when the person asks for it, and ends the subscription when it is removed.
// The service worker is registered only then.

const form = document.getElementById("push-form")
const button = document.getElementById("push-subscribe")

function say(name) {
  document.getElementById("push-problem").textContent = form.dataset[name] ?? ""
}

const isSupported = () => isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window

const base64url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

async function digestOf(endpoint) {
  return base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)))
}

async function current() {
  const registration = await navigator.serviceWorker.getRegistration(form.dataset.worker)
  return registration?.pushManager.getSubscription()
}

async function subscribed() {
  const registration = await navigator.serviceWorker.register(form.dataset.worker)
  await navigator.serviceWorker.ready
  const before = await registration.pushManager.getSubscription()
  // Of another key, such as that of a person who used this browser before: it would be refused.
  if (before && base64url(before.options.applicationServerKey) !== form.dataset.key) await before.unsubscribe()
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.key })
}

button.addEventListener("click", async () => {
  say("")
  if ((await Notification.requestPermission()) !== "granted") return say("denied")
  button.disabled = true
  try {
    const subscription = await subscribed()
    form.elements.endpoint.value = subscription.endpoint
    for (const name of ["p256dh", "auth"]) form.elements[name].value = base64url(subscription.getKey(name))
    form.submit()
  } catch {
    button.disabled = false
    say("failed")
  }
})

async function showState() {
  if (!isSupported()) return say("unsupported")
  const subscription = await current()
  const own = subscription && document.querySelector(`[data-digest="${await digestOf(subscription.endpoint)}"]`)
  button.hidden = Boolean(own)
  if (!own) return
  own.querySelector("[data-own]").hidden = false
  own.querySelector("form[action$=remove]").addEventListener("submit", () => subscription.unsubscribe())
}

showState()
