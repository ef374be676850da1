// Says in a card that its answer is on its way, if that takes longer than a moment, and that nothing is lost if it takes long.

const SENDING_MS = 1000
const SLOW_MS = 5000

const timers = new WeakMap() // place -> its timers

function saySending(place) {
  const say = (text) => () => (place.textContent = text)
  timers.set(place, [
    setTimeout(say(place.dataset.sending), SENDING_MS),
    setTimeout(say(place.dataset.slow), SLOW_MS),
  ])
}

document.addEventListener("htmx:before:request", ({ target, detail }) => {
  const place = detail.ctx.request.submitter && target.querySelector?.("[data-slow]")
  if (place) saySending(place)
})

document.addEventListener("htmx:finally:request", ({ detail }) => {
  const place = detail.ctx.sourceElement?.querySelector?.("[data-slow]")
  if (!timers.has(place)) return
  timers.get(place).forEach(clearTimeout)
  timers.delete(place)
  place.textContent = ""
})
