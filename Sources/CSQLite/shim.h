#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast function pointer, a macro that Swift does not import.
static inline sqlite3_destructor_type tessera_sqlite_transient(void) {
  return SQLITE_TRANSIENT;
}

// The errno of the last system call that failed on the database's log or the database. After a
// commit only the open file has it; after opening a file failed, only the connection.
static inline int tessera_sqlite_errno(sqlite3 *connection) {
  int error = 0;
  sqlite3_file *log = 0;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK &&
      log && log->pMethods)
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  if (!error) sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error ? error : sqlite3_system_errno(connection);
}
