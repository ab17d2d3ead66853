// The script of a page that has nothing but the search: the tiers.
import { enableSearch } from './open-search.ts'

enableSearch()
