// Takes a chosen or dropped file: shows it, and puts it as text into the form, which is sent, checked and previewed as all other text.

const LARGEST_SIDE = 240 // pixels

function shownIn(field) {
  return field.querySelector(".file__shown")
}

async function picture(file) {
  if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return null
  try {
    // Drawn pixel by pixel, so nothing in the file runs or is fetched.
    const bitmap = await createImageBitmap(file)
    const scale = Math.min(1, LARGEST_SIDE / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement("canvas")
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    return canvas
  } catch {
    return null
  }
}

function asText(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader()
    reader.onload = () => done(reader.result)
    reader.onerror = () => failed(reader.error)
    reader.readAsDataURL(file)
  })
}

async function take(input, field) {
  const [file] = input.files
  const box = document.getElementById(field.dataset.file)
  // The text has the file: the form would carry it twice.
  input.removeAttribute("name")
  shownIn(field).replaceChildren()
  box.value = ""
  if (file && file.size > Number(field.dataset.most)) shownIn(field).textContent = field.dataset.tooLarge
  else if (file) {
    box.value = await asText(file)
    const drawn = await picture(file)
    shownIn(field).replaceChildren(`${file.name}, ${file.type}`, ...(drawn ? [drawn] : []))
  }
  box.dispatchEvent(new Event("input", { bubbles: true }))
}

document.addEventListener("change", ({ target }) => {
  const field = target.closest?.("[data-file]")
  if (field && target.type === "file") take(target, field)
})

// The box of the browser takes files by itself; beside it, as on the label, the browser would leave the page for the file.
for (const step of ["dragover", "drop"]) {
  document.addEventListener(step, (event) => {
    const inputs = event.target.closest?.(".field")?.querySelectorAll("[data-file] input[type=file]") ?? []
    if (inputs.length !== 1 || inputs[0] === event.target || !event.dataTransfer.types.includes("Files")) return
    event.preventDefault()
    event.dataTransfer.dropEffect = "copy"
    if (step === "dragover") return
    inputs[0].files = event.dataTransfer.files
    inputs[0].dispatchEvent(new Event("change", { bubbles: true }))
  })
}
