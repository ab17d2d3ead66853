import { showInIsland } from '../island.ts'
import { Confirm } from './confirm.view.tsx'
import { takeToken } from './token-in-address.ts'

showInIsland(<Confirm token={takeToken()} />)
