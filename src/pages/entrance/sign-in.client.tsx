import { showInIsland } from '../island.ts'
import { SignIn } from './sign-in.view.tsx'

showInIsland(<SignIn />)
