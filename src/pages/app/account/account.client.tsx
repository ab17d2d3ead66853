import { openPage } from '../open-page.tsx'
import { Account } from './account.view.tsx'

await openPage(Account, 'session')
