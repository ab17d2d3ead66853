import { openPage } from '../open-page.tsx'
import { Overview } from './overview.view.tsx'

await openPage(Overview)
