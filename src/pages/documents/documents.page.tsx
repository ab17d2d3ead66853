// Adds a copy button to each code block of a documentation page. Without this script the page reads as well.
import { render } from 'preact'
import { CopyButton } from '../parts/copy.view.tsx'

for (const command of document.querySelectorAll('.command')) {
  const place = document.createElement('span')
  const text = command.textContent
  command.append(place)
  render(<CopyButton text={text} what="these lines" />, place)
}
