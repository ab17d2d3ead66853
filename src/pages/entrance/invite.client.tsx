import { showInIsland } from '../island.ts'
import { Invite } from './invite.view.tsx'
import { takeToken } from './token-in-address.ts'

showInIsland(<Invite token={takeToken()} />)
