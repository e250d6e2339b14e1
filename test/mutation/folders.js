/** The folders of `src/` that are changed. A change is put to the tests of the same folder in `test/`. */
export const FOLDERS = ['log', 'reading', 'requests', 'compare', 'faults'];
