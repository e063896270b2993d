# Tests that check C programs with Fencepost.
#
#   include(Fencepost)
#   fencepost_add_test(NAME lock SOURCES verify/lock.c)
#
#   fencepost_add_test(
#     NAME <name>
#     SOURCES <file>...         one program; several files are linked
#     [MODELS <model>...]       sc, tso, pso; tso if none is given
#     [TARGET <target>]         its include directories and definitions are used
#     [TIMEOUT <seconds>]       for each memory model; 60 if not given
#     [ALLOW_UNKNOWN]           a test without an answer is skipped instead of failing
#     [OPTIONS <option>...])    more options of `fencepost check`
#
# A test passes if the program is safe under all the models. It runs in the source folder, so paths are relative to that.
# FENCEPOST_EXECUTABLE is the verifier; where it is not found, the tests are there but disabled. Needs CMake 3.16.

find_program(FENCEPOST_EXECUTABLE fencepost DOC "The Fencepost verifier")
if(NOT FENCEPOST_EXECUTABLE)
  message(STATUS "Fencepost was not found: its tests are disabled")
endif()

function(fencepost_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "ALLOW_UNKNOWN" "NAME;TARGET;TIMEOUT" "SOURCES;MODELS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fencepost_add_test: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_NAME OR NOT arg_SOURCES)
    message(FATAL_ERROR "fencepost_add_test needs NAME and SOURCES")
  endif()
  if(NOT arg_MODELS)
    set(arg_MODELS tso)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()

  set(command check --timeout "${arg_TIMEOUT}")
  foreach(model IN LISTS arg_MODELS)
    list(APPEND command --model "${model}")
  endforeach()
  list(LENGTH arg_SOURCES count)
  if(count GREATER 1)
    list(APPEND command --link)
  endif()
  if(arg_TARGET)
    # Each directory and each definition becomes a word of its own.
    set(directories "$<TARGET_PROPERTY:${arg_TARGET},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${arg_TARGET},COMPILE_DEFINITIONS>")
    list(APPEND command
      "$<$<BOOL:${directories}>:-I$<JOIN:${directories},$<SEMICOLON>-I>>"
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>")
  endif()
  list(APPEND command ${arg_OPTIONS} ${arg_SOURCES})

  set(executable "${FENCEPOST_EXECUTABLE}")
  if(NOT executable)
    set(executable fencepost)
  endif()
  add_test(
    NAME "${arg_NAME}"
    COMMAND "${executable}" ${command}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMAND_EXPAND_LISTS)
  # Unknown is exit code 3.
  if(arg_ALLOW_UNKNOWN)
    set_tests_properties("${arg_NAME}" PROPERTIES SKIP_RETURN_CODE 3)
  endif()
  if(NOT FENCEPOST_EXECUTABLE)
    set_tests_properties("${arg_NAME}" PROPERTIES DISABLED TRUE)
  endif()
endfunction()
