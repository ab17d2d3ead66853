import { openPage } from '../open-page.tsx'
import { FoundOrganisation } from './organisation.view.tsx'

await openPage(FoundOrganisation, 'session')
