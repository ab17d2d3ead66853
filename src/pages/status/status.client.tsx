import { render } from 'preact'
import { Status } from './status.view.tsx'

const island = document.querySelector('#island')
if (island !== null) render(<Status />, island)
