// The script of a page that has nothing but the search: 404.
import { enableSearch } from './open-search.ts'

enableSearch()
