import { openPage } from '../open-page.tsx'
import { Keys } from './keys.view.tsx'

await openPage(Keys)
