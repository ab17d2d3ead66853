// Adds a copy button to each code block of a documentation page. The page is complete without this script.
import { render } from 'preact'
import { CopyButton } from '../parts/copy-button.view.tsx'

for (const command of document.querySelectorAll('.command')) {
  const buttonSpan = document.createElement('span')
  const text = command.textContent
  command.append(buttonSpan)
  render(<CopyButton text={text} what="these lines" />, buttonSpan)
}
