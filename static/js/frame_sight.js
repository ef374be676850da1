// Which part of this page a person can see. The page around the frame can scroll it away, cover it, fade it or distort it.

const SAMPLE_MS = 100

// Chromium tells whether anything covers, fades or distorts the frame: as a whole, so something over its edge counts as well.
// In other browsers a frame that is in sight counts as uncovered.
export const noticesCovers = "isVisible" in IntersectionObserverEntry.prototype

// A page can also shrink the frame by CSS zoom, of which Chromium tells no observer. A person who zooms out that far reads in a tab.
const SMALLEST = 0.4 // pixels of the screen for one of CSS

const OPTIONS = { trackVisibility: noticesCovers, delay: SAMPLE_MS }

let isWatching = false

// Chromium drops clicks into a frame that has just moved by much, as long as one of its observers looks for covers.
new IntersectionObserver(() => {}, OPTIONS).observe(document.documentElement)

/** Calls `take` with a sample several times a second, as long as `isNeeded()` and the page is in sight. */
export function watchSight(isNeeded, take) {
  if (isWatching || !isNeeded()) return
  isWatching = true
  // An observer tells of changes only, and sometimes forgets to. A new one tells how things are.
  const observer = new IntersectionObserver(([entry]) => {
    take(sampleOf(entry))
    // Out of sight, this observer waits until the page comes back. In a tab that is hidden, browsers call none.
    if (!entry.isIntersecting) return
    observer.disconnect()
    setTimeout(() => {
      isWatching = false
      watchSight(isNeeded, take)
    }, SAMPLE_MS)
  }, OPTIONS)
  observer.observe(document.documentElement)
}

// `shown` is the part that lies in the window, and `sight` the same if nothing covers it.
function sampleOf({ isIntersecting, isVisible, intersectionRect }) {
  const shown = isIntersecting && !document.hidden ? intersectionRect : null
  const isTiny = parent !== window && devicePixelRatio < SMALLEST
  const isCovered = Boolean(shown) && ((noticesCovers && !isVisible) || isTiny)
  return { shown, isCovered, sight: isCovered ? null : shown }
}
