# (sourced) CF: for make C=2, what Debian's sparse does not know: __typeof_unqual__(), without which
# the makefiles refuse it, and the value of __builtin_strlen(), which MODULE_INFO() asserts.
CF="-D__typeof_unqual__=__typeof__ -D'__builtin_strlen(s)=(sizeof(s)-1)'"
