import { render } from 'preact'
import { Verifier } from './verify.view.tsx'

const island = document.querySelector('#island')
if (island !== null) {
  island.replaceChildren()
  render(<Verifier />, island)
}
