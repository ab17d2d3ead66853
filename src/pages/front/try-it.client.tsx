import { showInIsland } from '../island.ts'
import { keyAtHand } from './key.ts'
import { TryIt } from './try-it.view.tsx'

showInIsland(<TryIt firstKey={keyAtHand()} />)
