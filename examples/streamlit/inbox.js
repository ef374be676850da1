// <mcp-inbox> as a component of Streamlit, which calls this function at the start and after each run of the script. The
// element is made once, so that runs change nothing of what the person has typed in it.

export default function ({ parentElement, data, setTriggerValue }) {
  let inbox = parentElement.querySelector("mcp-inbox")
  if (!inbox) {
    inbox = document.createElement("mcp-inbox")
    inbox.setAttribute("src", data.src)
    inbox.setAttribute("label", "Questions for you")
    let times = 0
    inbox.getToken = () => {
      setTriggerValue("token_needed", ++times)
      return new Promise((resolve) => (inbox.take = resolve))
    }
    for (const type of ["ready", "settled", "call"]) {
      inbox.addEventListener(type, ({ detail }) => setTriggerValue("news", { type, ...detail }))
    }
    parentElement.append(inbox)
    import(new URL("v1.js", data.src))
  }
  inbox.setAttribute("theme", data.scheme ?? "auto")
  // Each token works once; the last one stays in the data.
  if (data.token && data.token !== inbox.taken) inbox.take?.((inbox.taken = data.token))
}
