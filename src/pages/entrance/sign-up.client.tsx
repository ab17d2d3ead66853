import { showInIsland } from '../island.ts'
import { SignUp } from './sign-up.view.tsx'

showInIsland(<SignUp />)
