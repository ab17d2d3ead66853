import { render } from 'preact'
import { Reference } from './reference.view.tsx'

const island = document.querySelector('#island')
if (island !== null) render(<Reference />, island)
