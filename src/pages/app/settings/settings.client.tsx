import { openPage } from '../open-page.tsx'
import { SettingsPage } from './settings.view.tsx'

await openPage(SettingsPage)
