import { showInIsland } from '../island.ts'
import { Status } from './status.view.tsx'

showInIsland(<Status />)
