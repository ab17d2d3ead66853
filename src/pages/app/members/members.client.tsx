import { openPage } from '../open-page.tsx'
import { Members } from './members.view.tsx'

await openPage(Members)
