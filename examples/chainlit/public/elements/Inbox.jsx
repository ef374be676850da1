// The inbox of the person, beside the conversation. The title of the page counts the questions.
import { useEffect, useRef } from "react"

export default function Inbox() {
  const inbox = useRef(null)

  useEffect(() => {
    const title = document.title
    inbox.current.addEventListener("pending", ({ detail }) => {
      document.title = detail.count ? `(${detail.count}) ${title}` : title
    })
    return () => {
      document.title = title
    }
  }, [])

  return <mcp-inbox ref={inbox} src={props.src} get-token="/inbox-token" label="Questions for you" />
}
