// Gives commander the types that follow from how options are defined. At run time nothing but commander itself is loaded.
declare module 'commander' {
  export * from '@commander-js/extra-typings';
}
