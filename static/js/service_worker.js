// Shows a notification that the server sent, and opens its page when it is clicked. It does nothing else: it sees no
// request of the pages and keeps nothing.

self.addEventListener("push", (event) => {
  const { title, body, path, tag } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body, tag, renotify: true, data: { path } }))
})

self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  const address = new URL(event.notification.data.path, self.registration.scope)
  if (address.origin === self.location.origin) event.waitUntil(show(address))
})

// A page that is open already comes to the front. Others are left alone: something may be typed there.
async function show(address) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  const page = pages.find(({ url }) => new URL(url).pathname === address.pathname)
  return page ? page.focus() : self.clients.openWindow(address.href)
}
