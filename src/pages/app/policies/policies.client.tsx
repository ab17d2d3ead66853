import { openPage } from '../open-page.tsx'
import { Policies } from './policies.view.tsx'

await openPage(Policies)
