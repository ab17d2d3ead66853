import { render } from 'preact'
import { keyAtHand } from './key.ts'
import { TryIt } from './try-it.view.tsx'

const key = keyAtHand()
const island = document.querySelector('#island')
if (island !== null) render(<TryIt firstKey={key} />, island)
