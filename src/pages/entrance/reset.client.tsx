import { showInIsland } from '../island.ts'
import { ChooseAnother, RequestReset } from './reset.view.tsx'
import { takeToken } from './token-in-address.ts'

const token = takeToken()
showInIsland(token === null ? <RequestReset /> : <ChooseAnother token={token} />)
