// The font programs of reports, for the build and for what draws reports without a service.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PROGRAM_PATHS, type FaceName, type FontPrograms } from '../../src/reports/pdf/fonts/typeface.ts'

const FOLDER = join(import.meta.dirname, '../../src/reports/pdf/fonts')

const read = (face: FaceName): Uint8Array => readFileSync(join(FOLDER, basename(PROGRAM_PATHS[face])))

export const FONT_PROGRAMS: FontPrograms = { regular: read('regular'), bold: read('bold'), heading: read('heading') }
