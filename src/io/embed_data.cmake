# Writes the bundled data files into one C++ source, so that no file is looked for at run time.
#
#   cmake -DDATA=<data folder> -DOUTPUT=<file.cpp> -P embed_data.cmake

# Compilers need not accept longer string literals than 65536 characters.
set(chunk_length 60000)
set(code "// Generated from the data folder; do not edit.\n#include \"io/bundled_texts.hpp\"\n")
string(APPEND code "\nnamespace redoubt::io {\n\nnamespace {\n\n")
set(entries "")

# Adds `text` under `name`: an array of chunks, and an entry that points to it.
function(embed name text)
  string(REPLACE "\r" "" text "${text}")
  string(LENGTH "${text}" length)
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  set(chunks "constexpr std::string_view k_${identifier}[] = {\n")
  set(start 0)
  while(start LESS length)
    string(SUBSTRING "${text}" ${start} ${chunk_length} chunk)
    string(APPEND chunks "R\"data(${chunk})data\",\n")
    math(EXPR start "${start} + ${chunk_length}")
  endwhile()
  set(code "${code}${chunks}};\n\n" PARENT_SCOPE)
  set(entries "${entries}    {\"${name}\", k_${identifier}},\n" PARENT_SCOPE)
endfunction()

foreach(file IN ITEMS gaussian breast-cancer-wisconsin digits
        tabular/breastcancer tabular/diabetes tabular/heart
        published_bags_gaussian published_bags_breast-cancer-wisconsin published_bags_digits
        published/accuracy published/k_development published/training_time
        published/first_planes)
  file(READ "${DATA}/${file}.csv" text)
  embed("${file}" "${text}")
endforeach()

# Of the splits only the row numbers are kept: two lines of comma-separated numbers.
file(READ "${DATA}/published_split.json" json)
foreach(set IN ITEMS gaussian breast-cancer-wisconsin digits)
  set(text "")
  foreach(part IN ITEMS train test)
    string(JSON rows GET "${json}" ${set} ${part})
    string(REGEX REPLACE "[^0-9,]" "" rows "${rows}")
    string(APPEND text "${rows}\n")
  endforeach()
  embed("published_split_${set}" "${text}")
endforeach()

string(APPEND code "constexpr BundledText kTexts[] = {\n${entries}};\n\n}  // namespace\n\n")
string(APPEND code "std::span<const BundledText> bundled_texts() { return kTexts; }\n\n")
string(APPEND code "}  // namespace redoubt::io\n")
file(WRITE "${OUTPUT}" "${code}")
